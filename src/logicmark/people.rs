//! First names, for all tasks. Their gender is a convention of the puzzles that rely on it, which state it in words too.
//!
//! The order is part of what a seed means: new names go to the end.

/// Names of women and girls.
pub const WOMEN: [&str; 40] = [
    "Alice", "Anna", "Beth", "Carla", "Clara", "Daisy", "Diana", "Edith", "Ella", "Emma", "Flora", "Grace", "Hanna",
    "Helen", "Ida", "Irene", "Jane", "Julia", "Karen", "Kate", "Laura", "Lena", "Lucy", "Maria", "Martha", "Mia",
    "Nadia", "Nina", "Nora", "Olga", "Paula", "Rita", "Rosa", "Ruth", "Sara", "Sofia", "Tina", "Vera", "Wendy", "Zoe",
];

/// Names of men and boys.
pub const MEN: [&str; 40] = [
    "Adam", "Alan", "Arthur", "Ben", "Boris", "Carl", "Cyril", "Daniel", "David", "Eric", "Felix", "Frank", "George",
    "Harry", "Henry", "Hugo", "Ivan", "Jack", "James", "Jonas", "Karim", "Kevin", "Leo", "Lewis", "Lucas", "Mark",
    "Martin", "Max", "Nathan", "Oliver", "Oscar", "Paul", "Peter", "Ralph", "Robert", "Simon", "Thomas", "Victor",
    "Walter", "Zack",
];
