//! Tidy drawings of trees, after Reingold and Tilford, "Tidier Drawings of Trees" (1981): where nodes of equal breadth
//! stand on the levels of a tree.

/// The distance of neighbouring siblings, from middle to middle.
const SIBLINGS: f64 = 1.0;
/// The distance of neighbours on a level that have different parents.
const COUSINS: f64 = 1.25;

/// The outline of a subtree: how far it reaches on each level, seen from its root.
#[derive(Default)]
struct Contour {
    left: Vec<f64>,
    right: Vec<f64>,
}

/// Where each node of a tree stands across the levels, the first at 0 or right of it: a unit is the distance of siblings.
/// `parents[i]` is the parent of node `i`, and less than `i`; node 0 is the root. Children stand in the order of their
/// numbers.
///
/// Neighbours on a level are a unit apart or more; a parent stands in the middle between its first and its last child;
/// a subtree looks the same wherever it is, and a mirrored one is drawn mirrored. Time: nodes times levels.
pub fn tidy(parents: &[usize]) -> Vec<f64> {
    let mut children = vec![Vec::new(); parents.len()];
    for (node, &parent) in parents.iter().enumerate().skip(1) {
        children[parent].push(node);
    }
    let mut contours: Vec<Contour> = parents.iter().map(|_| Contour::default()).collect();
    // As seen from the parent.
    let mut offsets = vec![0.0; parents.len()];
    for node in (0..parents.len()).rev() {
        let below: Vec<_> = children[node].iter().map(|&child| std::mem::take(&mut contours[child])).collect();
        let places = side_by_side(&below);
        for (&child, &place) in children[node].iter().zip(&places) {
            offsets[child] = place;
        }
        contours[node] = around(&below, &places);
    }
    let leftmost = contours.first().map_or(0.0, |all| all.left.iter().copied().fold(0.0, f64::min));
    let mut across = vec![-leftmost; parents.len()];
    for (node, &parent) in parents.iter().enumerate().skip(1) {
        across[node] = across[parent] + offsets[node];
    }
    across
}

/// Where siblings stand, as seen from their parent: the mean of what comes of packing them from the left and from the
/// right, so that small subtrees between large ones are spread evenly (Kennedy, "Functional Pearls: Drawing Trees", 1996).
fn side_by_side(subtrees: &[Contour]) -> Vec<f64> {
    let apart = |level| if level == 0 { SIBLINGS } else { COUSINS };
    let mut reached: Vec<f64> = Vec::new();
    let mut from_left = Vec::new();
    for subtree in subtrees {
        let gaps = reached.iter().zip(&subtree.left).enumerate();
        let place = gaps.map(|(level, (reached, left))| reached + apart(level) - left).reduce(f64::max).unwrap_or(0.0);
        from_left.push(place);
        reach(&mut reached, &subtree.right, place);
    }
    let mut reached: Vec<f64> = Vec::new();
    let mut from_right = Vec::new();
    for subtree in subtrees.iter().rev() {
        let gaps = reached.iter().zip(&subtree.right).enumerate();
        let place =
            gaps.map(|(level, (reached, right))| reached - apart(level) - right).reduce(f64::min).unwrap_or(0.0);
        from_right.push(place);
        reach(&mut reached, &subtree.left, place);
    }
    from_right.reverse();
    let middle = |places: &[f64]| match places {
        [first, .., last] => (first + last) / 2.0,
        [only] => *only,
        [] => 0.0,
    };
    let (left, right) = (middle(&from_left), middle(&from_right));
    from_left.iter().zip(&from_right).map(|(a, b)| (a - left + b - right) / 2.0).collect()
}

/// Subtrees placed one after the other reach as far as the last of them, level by level.
fn reach(reached: &mut Vec<f64>, side: &[f64], place: f64) {
    for (level, at) in side.iter().enumerate() {
        match reached.get_mut(level) {
            Some(reached) => *reached = at + place,
            None => reached.push(at + place),
        }
    }
}

/// The contour of a node over its children.
fn around(subtrees: &[Contour], places: &[f64]) -> Contour {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (subtree, &place) in subtrees.iter().zip(places) {
        reach(&mut right, &subtree.right, place);
    }
    for (subtree, &place) in subtrees.iter().zip(places).rev() {
        reach(&mut left, &subtree.left, place);
    }
    left.insert(0, 0.0);
    right.insert(0, 0.0);
    Contour { left, right }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn trees() -> impl Strategy<Value = Vec<usize>> {
        // Broad ones and deep ones.
        let parents = |reach: usize| {
            proptest::collection::vec(any::<prop::sample::Index>(), 0..120).prop_map(move |picks| {
                let pick = |(before, index): (usize, prop::sample::Index)| {
                    let from = before.saturating_sub(reach);
                    from + index.index(before + 1 - from)
                };
                std::iter::once(0).chain(picks.into_iter().enumerate().map(pick)).collect()
            })
        };
        prop_oneof![parents(1000), parents(10), parents(2)]
    }

    fn levels(parents: &[usize]) -> Vec<usize> {
        let mut levels = vec![0; parents.len()];
        for node in 1..parents.len() {
            levels[node] = levels[parents[node]] + 1;
        }
        levels
    }

    /// A node and all below it, as a tree of its own, with the numbers they have in the whole one.
    fn subtree(parents: &[usize], root: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut members, mut own) = (vec![root], vec![0]);
        for (node, parent) in parents.iter().enumerate().skip(root + 1) {
            if let Some(at) = members.iter().position(|member| member == parent) {
                members.push(node);
                own.push(at);
            }
        }
        (own, members)
    }

    /// The children of each node in the reverse order; and the new number of each node.
    fn mirrored(parents: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let levels = levels(parents);
        let mut order: Vec<_> = (0..parents.len()).collect();
        order.sort_by_key(|&node| (levels[node], std::cmp::Reverse(node)));
        let mut number = vec![0; parents.len()];
        order.iter().enumerate().for_each(|(new, &old)| number[old] = new);
        (order.iter().map(|&old| number[parents[old]]).collect(), number)
    }

    proptest! {
        #[test]
        fn trees_are_tidy(parents in trees(), root in any::<prop::sample::Index>()) {
            let (across, levels) = (tidy(&parents), levels(&parents));
            prop_assert!(across.iter().all(|&at| at >= -1e-9));
            // No overlaps, and the order is kept: as breadth first search meets them.
            let mut order: Vec<usize> = vec![0];
            let mut next = 0;
            while next < order.len() {
                let parent = order[next];
                order.extend((1..parents.len()).filter(|&node| parents[node] == parent));
                next += 1;
            }
            for pair in order.windows(2) {
                if levels[pair[0]] == levels[pair[1]] {
                    prop_assert!(across[pair[1]] - across[pair[0]] >= SIBLINGS - 1e-9);
                }
            }
            // Parents are centred.
            for node in 0..parents.len() {
                let children: Vec<_> = (1..parents.len()).filter(|&child| parents[child] == node).collect();
                if let (Some(&first), Some(&last)) = (children.first(), children.last()) {
                    prop_assert!((across[node] - (across[first] + across[last]) / 2.0).abs() < 1e-6);
                }
            }
            // A subtree looks the same wherever it is.
            let root = root.index(parents.len());
            let (own, members) = subtree(&parents, root);
            let alone = tidy(&own);
            for (at, &member) in alone.iter().zip(&members) {
                prop_assert!((at - alone[0] - (across[member] - across[root])).abs() < 1e-6);
            }
            // A mirrored one is drawn mirrored.
            let (other, number) = mirrored(&parents);
            let other = tidy(&other);
            for node in 0..parents.len() {
                prop_assert!((other[number[node]] - other[0] + across[node] - across[0]).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn small_subtrees_are_spread_between_large_ones() {
        // A leaf between two subtrees of three leaves each.
        let across = tidy(&[0, 0, 0, 0, 1, 1, 1, 3, 3, 3]);
        assert!((across[2] - (across[1] + across[3]) / 2.0).abs() < 1e-9);
        assert_eq!(across[4], 0.0);
        assert_eq!(tidy(&[0]), [0.0]);
        assert_eq!(tidy(&[]), [0.0; 0]);
    }

    #[test]
    fn thousands_of_nodes_take_no_time() {
        let started = std::time::Instant::now();
        let chain: Vec<usize> = (0..2000usize).map(|node| node.saturating_sub(2)).collect();
        assert_eq!(tidy(&chain).len(), 2000);
        assert!(started.elapsed().as_secs() < 2, "{:?}", started.elapsed());
    }
}
