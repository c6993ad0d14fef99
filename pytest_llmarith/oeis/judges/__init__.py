"""Who says whether a program computes or looks up. They read programs and run none; `static` is the one by default."""
