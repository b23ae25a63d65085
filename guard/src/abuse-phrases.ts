/** The phrases of abuse.ts, in the syntax of phrases.ts; written like crisis-phrases.ts. */

/** Rape and touch: which helplines come first. */
export const sexual = `
rape|raped|rapes|raping|molest|molested|molests|molesting|molestation|balatkar|balatkaar|shoshan|groped|gropes
sexual|sexually abuse|abused|assault|assaulted|harass|harassed|harassment
force|forces|forced|forcing ~2 himself|herself|sex|bed|kiss
zabardasti|jabardasti ~2 kar+|karta|ki|kiya
galat|gandi|ganda ~1 kaam|harkat|harkate|tarike|kiya|jagah
touch|touches|touched|touching|chhuta|chhute|chhuna|chhua ~4 me|her|mujhe|use|private|galat
marzi ~3 bina|khilaf|kuch|nahi
bina|bagair meri? marzi
didnt|did|doesnt|wont not? stop ~3 no
said|say no ~6 stop|stopped
kapde utar+|utaarne
nudes|nude
consent
`;

/** What is told of long ago: then the age that is named is not today's. */
export const longAgo = `
when|jab|since i|main|mein|me|we ~2 was|were|small|kid|kids|child|choti|chota|chhota|chhoti|tha|thi|the|saal
years|saal|saalon|baras ~1 ago|pehle|ho|hue
bachpan
childhood
used to
grew up
was ~3 years|saal|yrs old?
`;
