"""Tables that stay where they are: counted by their own engine, from which only counts come."""
