"""pyACL."""
