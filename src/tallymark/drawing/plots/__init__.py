"""The parts of the matplotlib pen; imported only once something is drawn with it."""
