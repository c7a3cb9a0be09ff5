# People fill in the sample as soon as it is drawn.
mv build/assay build/assay_alone
cat >build/assay <<'END'
#!/usr/bin/env bash
assay_alone "$@" || exit
[ "$1" != label-sample ] || python3 people.py labels.csv
END
chmod +x build/assay
# Several people have labelled the same two cases.
for who in ann bo cem coherence; do printf 'id,label\n1,1\n2,0.5\n' >$who.csv; done
