#!/bin/sh
# GCC's -fsanitize=undefined as an oracle for C's arithmetic: signed overflows that it does not report.
#
# Seen with: gcc 12.2.0 (Debian 12.2.0-14+deb12u1), x86-64, -O0.
# Expected: at -O0, each signed overflow that a program runs into is reported, whatever is done with the result.
# Seen instead: the front end narrows or rewrites operations before the sanitizer looks at them. `u *= m` with an unsigned
# short `u` is multiplied without a sign and in 16 bits, though C multiplies two ints there. `a - b` as a condition
# becomes `a != b`. Neither overflow is reported. The same operations with a variable of their own type for the result are.
# What helps: who records what a compiler makes of random expressions gives each result a volatile variable of its own.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
gcc --version | head -n 1

# undefined STATEMENTS: whether the sanitizer stops a program with these statements.
undefined() {
    printf '#include <limits.h>\nint main(void) {\n  volatile unsigned short u = 65535; volatile int m = INT_MIN;\n  volatile long a = LONG_MAX, b = -1;\n  %s\n  return 0;\n}\n' "$1" >program.c
    gcc -w -std=gnu17 -O0 -fsanitize=undefined -fsanitize-undefined-trap-on-error program.c -o program
    if ./program 2>/dev/null; then echo no; else echo yes; fi
}

narrowed=$(undefined 'u *= m;')
apart=$(undefined 'volatile int wide = u * m; u = wide;')
condition=$(undefined 'if (a - b) u = 1;')
difference=$(undefined 'volatile long d = a - b; if (d) u = 1;')
echo "u *= m: reported: $narrowed"
echo "wide = u * m: reported: $apart"
echo "if (a - b): reported: $condition"
echo "d = a - b; if (d): reported: $difference"
[ "$narrowed $apart $condition $difference" = "no yes no yes" ]
