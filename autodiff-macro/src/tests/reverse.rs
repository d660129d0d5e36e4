use expect_test::expect;

use crate::testing::check_late;

#[test]
fn straight_line_code_remembers_nothing() {
    check_late("fn f(x: f64, y: f64) -> f64 { x * y }", &expect![[""]]);
}
