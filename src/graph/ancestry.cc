#include "graph/ancestry.h"

#include "graph/two_sides.h"

namespace pfetch::graph {

bool is_ancestor(CommitGraph& graph, Position ancestor, Position descendant) {
  if (ancestor == descendant) return true;
  TwoSides sides(graph, TwoSides::right);
  sides.paint(ancestor, TwoSides::left);
  sides.paint(descendant, TwoSides::right);
  while (sides.is_apart()) {
    sides.pass_next();
    if ((sides.colours_of(ancestor) & TwoSides::right) != 0) return true;
  }
  return false;
}

}  // namespace pfetch::graph
