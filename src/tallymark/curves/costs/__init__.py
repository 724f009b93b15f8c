"""What answers cost, at every threshold and at every mix of classes and costs."""
