#!/bin/sh
# Makes one style sheet of those that the page of a built site names, in their order, since nothing can be shown before the
# last of them is there: bundle.sh FOLDER
set -eu
cd "$1"
sheets=$(grep -o '<link rel="stylesheet" href="\./[^"]*"' index.html | sed 's|.*/||; s|"||')
[ -n "$sheets" ] || exit 0
# shellcheck disable=SC2086 # names without spaces
cat $sheets >style.new
# shellcheck disable=SC2086
rm $sheets
sheet=style-$(sha256sum <style.new | cut -c 1-16).css
mv style.new "$sheet"
first=$(echo "$sheets" | head -n 1)
sed "s|\"\./$first\"|\"./$sheet\"|; /<link rel=\"stylesheet\"/{/$sheet/!d;}" index.html >index.new
mv index.new index.html
