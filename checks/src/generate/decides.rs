//! What only decides, by lists and numbers that have derivatives: members, searches, orders of indices, text.

use super::Generator;

impl Generator {
    /// An integer from 0 to 3 that is found or counted.
    pub(crate) fn decided_int(&mut self) -> Option<String> {
        let (list, ..) = self.any_list(2, false)?;
        if !self.use_of("decide") {
            return None;
        }
        let (a, x) = (list.name, self.leaf().atom());
        let found = match self.random.below(7) {
            0 => format!("{a}.iter().position(|v| *v > {x}).unwrap_or(1)"),
            1 => format!("{a}.iter().filter(|v| **v < {x}).count()"),
            2 => format!(
                "{a}.binary_search_by(|v| v.partial_cmp(&({x})).unwrap()).unwrap_or_else(|k| k)"
            ),
            3 => format!("{a}.partition_point(|v| *v < {x})"),
            4 => format!("format!(\"{{:.1}} {{}}\", {x}, {a}.len()).len()"),
            5 => format!("std::cmp::min({a}.len(), 3)"),
            _ => format!(
                "{{ let mut order: Vec<usize> = (0..{a}.len()).collect(); order.sort_by(|i, j| {a}[*i].total_cmp(&{a}[*j])); order[0] }}"
            ),
        };
        Some(format!("({found}) % 4"))
    }

    /// A truth value of a list or a number.
    pub(crate) fn decided_flag(&mut self) -> Option<String> {
        if !self.on.on("decide") {
            return None;
        }
        let x = self.leaf().atom();
        let list = self.any_list(2, false).map(|(list, ..)| list.name);
        self.used.insert("decide");
        Some(match (self.random.below(6), list) {
            // A number of the list makes it a variable where the list holds variables of a tape.
            (0, Some(a)) => format!("{a}.contains(&({a}[1] + {x}))"),
            (1, Some(a)) => format!("{a}[..1] < {a}[1..2]"),
            (2, Some(a)) => format!("{a}.iter().any(|v| *v > {x})"),
            (3, Some(a)) => format!("{a}.is_sorted()"),
            // A constant and a literal are not of one type where the literal is a variable of a tape.
            (4, Some(a)) => format!("{a}[0].total_cmp(&{a}[1]).is_lt()"),
            _ => format!("(0.1..0.8).contains(&({x}))"),
        })
    }
}
