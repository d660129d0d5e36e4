//! Tuples of each length.

/// Calls a macro for tuples of each length from 1 to 26, with the names and the positions of their parts: `each!(A 0 B 1)`.
///
/// The names are the single capital letters.
macro_rules! for_tuples {
    ($each:ident) => {
        for_tuples! {
            @ $each [A 0] B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12
            N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20 V 21 W 22 X 23 Y 24 Z 25
        }
    };
    (@ $each:ident [$($done:tt)*] $name:ident $k:tt $($rest:tt)*) => {
        $each!($($done)*);
        for_tuples!(@ $each [$($done)* $name $k] $($rest)*);
    };
    (@ $each:ident [$($done:tt)*]) => {
        $each!($($done)*);
    };
}
pub(crate) use for_tuples;
