//! The task `kinship`: what follows is what holds in all families, and no spoilt item is proved.

mod brute;
mod items;
