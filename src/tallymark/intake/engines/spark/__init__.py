"""Tables and files of Spark, and its sessions."""
