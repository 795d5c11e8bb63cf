# Filled by the installed tree.
