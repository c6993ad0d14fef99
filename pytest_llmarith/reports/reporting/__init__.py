"""Room: `llmarith report`: what runs say of themselves, chosen and ordered. It does not know the command line."""
