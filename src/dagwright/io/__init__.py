"""Reading and writing files of other programs; knows formats, not what is done with them."""
