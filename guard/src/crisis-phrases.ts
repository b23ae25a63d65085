/**
 * The phrases of crisis.ts, in the syntax of phrases.ts. English as written; Hindi in Latin letters, which also finds it
 * in Devanagari. Spellings and genders that fold.ts makes equal are listed once: chahta stands for chahti and चाहते.
 */

/** Words that stand for each other, by name. */
export const lists: Readonly<Record<string, string>> = {
  want: 'want|wants|wanna|wanted|wish|need|ready|waiting|like|love|pray|begging|deserve|desperate|dying|decided',
  adv: 'just|really|so|badly|honestly|literally|only|actually|still|even|all|finally|probably|fucking|bas|hi|bhi|ab|to',
  not: 'not|dont|never|wont|wouldnt|didnt|havent|doesnt|isnt|arent|without|no|nor',
  calm: 'want|wanna|wanted|going|gonna|to|ever|really|actually|planning|trying|tried|be|do|a|thinking|about|of|feel|like|been|commit|attempt|thought|have|any|am|im|considered|or|my|self',
  dont: 'dont|dnt|not|never|longer|didnt|donot|stopped',
  kill: 'kill|killed|kll|end|hang|hanged|shoot|drown|unalive|off|stab|poison|delete',
  hurt: 'harm|harmed|hurt|cut|cuts|burn|burnt|burned|scratch|scratched|hit|punch|slap|bite|injure|punish|bruise|starve',
  life: 'life|laif|zindagi|jeevan|lyf|existence',
  alive: 'live|exist|alive|breathe',
  pills:
    'pills|pill|taiblet|tablets|meds|medicine|paracetamol|crocin|dolo|antidepressants|painkillers|goliyan|goliya|goliyon|goli|dawai|dawaiyan',
  many: 'whole|entire|full|all|many|bottle|handful|strip|lot|ten|fifteen|twenty|thirty|bees|das|pandrah|tees|pachas|fifty|##|saari|sare|puri|bahut|bohot|dher|itni',
  poison:
    'poison|phenyl|phinyl|finail|bleach|harpic|acid|pesticide|kerosene|tezab|zeher|zahar|zehar|keetnashak|sulfas|salfas',
  suicide:
    'suicide|sucide|suicde|suiside|susaid|sicide|suside|sewerslide|khudkushi|khudkusi|khudkhushi|khudkashi|atmahatya|atmahathya',
  suicidal: 'suicidal|sucidal|suicidial',
  high: 'roof|rooftop|bridge|building|balcony|terrace|floor|cliff|flyover|window|ledge|chhat|pul|bilding|manzil',
  road: 'train|tren|metro|bus|truck|car|traffic|track|tracks|river|lake|sea|rail|gadi|trak|nadi|kuan|patri',
  limb: 'arm|arms|thigh|wrist|skin|leg|legs|veins|forearm|stomach|throat',
  nas: 'nas|naso|nasein|veins|wrist|kalai|kalaiyan|gala',
  kaat: 'kaat|kaatti|katna|kaatta|kaatu|kaatunga|cut',
  took: 'took|taken|taking|swallow|swallowed|ate|downed|popped|consumed|gulped',
  kin: 'friend|bestie|bff|frend|brother|bro|sister|roommate|roomie|flatmate|dad|father|mom|mum|mother|mummy|papa|cousin|girlfriend|boyfriend|gf|partner|wife|husband|colleague|classmate|batchmate|neighbour|uncle|aunt|girl|boy|daughter|student|junior|senior|kid|child|son|hubby|fiance|ex|nephew|niece|teacher|dost|bhai|bhaiya|bahini|beti|bitiya|jiju|jija|nana|nani|dada|dadi|bua|mausi|mami|chachu|chachi|saas|sasur|bahu|devar|nanad|bhauji|sakhi|sanghatiya|marad|amma|maai|behen|bahan|saheli|didi|chacha|mama|bhabhi|beta|pati|patni|maa|ladka|roommet',
  they: 'he|she|hes|shes|they|theyre|someone|somebody|wo|woh|usne|usko|uska|unhone|unka|him|uu|okar',
  me: 'i|im|ive|ill|id|main|mein|mujhe|muje|mjhe|mujhko|maine|mainne|mene|mujhse|mujse|hum|am|mera|meri|mere|hu|hamar|hamara|hamka|hamke|mor|myself',
  nahi: 'nahi|n|nai|ni|na|mat',
  hai: 'hai|h|he',
  chah: 'chahta|chata|chahiye|chaiye',
  // Bhojpuri and Awadhi: I will go, I will take or give.
  ib: 'jaib|jaibe|jaab|jaabe|jaibo|jaeb|jayeb|jaibi|jaai',
  leb: 'leb|lebi|lebe|lebo|deb|debi|debe|debo|lem|dem',
  naikhe: 'naikhe|naikhi|naikhin|nahi|nahin|naahi|na|naa|nai|nain',
  jiye: 'jiye|jiyal|jial|jiyai|jiyab|jiab|jiyb|jiya|jiyo',
  mue: 'mue|muye|muai|mual|muwal|muval|maral|marai|marab|mare',
  jeena: 'jeena',
  mann: 'mann|dil|khayal|vichar|soch|sochta|sochu|iccha|koshish|plan|thoughts|urge|himmat|irada|feel|attempt|idea|khwahish|chahat|tamanna|wait|intezar',
  khatam: 'khatam|samapt|end|finish',
  lu: 'lu|du|lunga|dunga|lena|dena|leta|deta|jau|jaunga|ja',
  kyu: 'kyu|kyo',
  last: 'last|final|aakhri|aakhiri|antim',
  find: 'notice|care|miss|cry|matter|difference|remember|mourn|bother',
};

/** Words meant otherwise, and what somebody says they will not do. Nothing in them counts. */
export const harmless = `
die|died|dying|dead of|from|for|laughing|hard|tired|inside|when
embarrassed|hungry|bored|sick|scared|worked|love ~3 die|death
rather die than eat|go|wear|watch|work|sit|attend|talk|cook|admit|see|do|use|date|travel|lose|miss|text|call|ask|share|study|dance
kill|murder me lol|if|when|for|with|slowly
end|ended it|this|things|everything|all with|on|by
end the|this|my|our relationship|chapter|call|semester|job|engagement|meeting|friendship|marriage|year|day|contract
hanging out|in|around|on|up|over|with
jump with|for|ship|on|to|off the hype|bandwagon|gun
kill myself ~1 working|studying|over|for|trying|at
is|are|was|been|keeps kill me
to|might|could|will|would|did|you|u|are|keep|youre|worth|of|from|for @kill|hurt yourself
@not @calm? @calm? @calm? @calm? die|suicidal|dying|@suicide
@not @calm? @calm? @calm? @calm? @kill|@hurt myself|my|self life?
@suicide squad|prevention|awareness|hotline|helpline|bomber|bombing|scene|doors|rate|rates|rokne|rokthaam|roko|mission|week|day
overdosed|overdose|od on coffee|caffeine|sugar|chai|tea|netflix|reels|memes|biryani|chocolate|love|nostalgia|maggi|sweets|anime|kdramas
@dont want|wanna ~1 to? live|be|stay|exist ~1 in|with|at|near|under|like|here|alone ~3 pg|hostel|city|house|home|job|office|team|company|parents|family|them|him|her|college|marriage|bangalore|delhi|mumbai|pune|laws|flat|village|india|roommate|town|place|group|class|friends|single
disappear|vanish|fade into|for|to|in ~2 mountains|hills|week|day|days|month|beach|goa|weekend|himachal|while|bit
@find ~1 if|when i ~1 left|leave|skipped|quit|resigned
last day|night|message|post|note|week at|of|in|with|as|for
goodbye|bye to|at|hug|party|kiss|bolna|bol|text|sugar
note|letter to|for
haste|hanste|hans|hasi|khushi|hasne|garmi|bhook|bhukh|sharam|thand|sardi|bore|boriyat|pyaas|thakan|dar|padhai|padhte|kaam|tension|neend|mehnat|dhoop|umas ~4 mar+
padh padh ~3 mar+
padh ke|kar|kr ~3 mar+
smile|muskan|aankhon|ada|awaaz|us|uspe|tujhpe|tujh|tum|un ~2 pe|par|mar+ mar+
mar mar|mita|mitna|pada|pad
@kin ke|ki marne|mar|maut|jane|death
phone|mobile|battery|laptop|machhar|kutte ~2 mar+
marne se pehle
ki|ke|ka maut
maut ka|ke kuan|kue
ke liye ~2 mar+
@nahi mar+ @chah|hai|hu|wala?
mar+ jana|jane? ka|ki|ko? mann? @nahi @chah|hai|h|hu|karta|@mann
@suicide kar+? ka|ki|ke|to|kabhi|bhi|hi? ~3 @nahi kar+|sakta|soch+|hai|hal|rasta|solution
@suicide ~2 galat|wrong|solution|hal|paap|kayar
khud|apne ko? kabhi? nuksan|chot|hurt|khatam|kaat|maar kabhi? @nahi
ne ~3 @suicide ~1 ki|kiya|kar|kari|li li|liya|tha|thi
jaan se|nikal+|mat|me|hai|ho|bhi|kha|ki
meri jaan
ke liye jaan
mummy|papa|maa|mom|dad|boss|bhai|sir|teacher|gharwale|didi|bhaiya|wife|husband ~4 maar+|mar+ dal+|daal+|deg|denge
sabzi|ungli|phone|call|cake|baal ~2 @kaat
haath|ungli|nas kat gaya|gayi|gai
jeena ka|me|mein ~1 maza
jeena seekh+|sikh+|aata
jeene @nahi? de|dete|denge
jeena haram|mushkil
tere|tumhare|bin bina? jeena|jiya|jee ~3
mar+|maut|mout|marne jane? ka|ki|se ~1 bahut? dar|darr|khauf|ghabrahat|ghabrata lag+|hai|aa+|ho+|$
galat kadam ~1 @nahi
panic|attack|bukhar|fever|accident|turbulence|jhatka|chakkar|saans|ecg ~8 mar+|die|dying jaunga|jau?
thought|felt|swear i ~1 was|would|am ~2 going|gonna? to? die|dying|dead
operation|surgery ~8 uthu
hero|heroine|villain|character|kirdar|actor|actress|mufasa ~5 mar+|die|dies|dead|@poison|kood+|latak+|@suicide
game|pubg|bgmi|level|boss|match|round ~4 mar+|die|died|dead|killed
chuhe|chuha|rats|mice|cockroach|cockroaches|keede|deemak|machhar|ants ~3 @poison|dawa|dawai|maar+ ~3 kahan|kaha|laya|layi|lagayi|lagai|rakhi|mil+|spray|rakha|kitchen|ghar|where
disappear|vanish ~1 under|inside my|the|a
neend se|me ~2 mar+
girte hi|to mar+
latak+|kood+ gaya|gayi|gaye|raha|rahi|hua|ke
meri jaan le+
khatam kar de|do|diya
accha jeena @chah
pe|par mar jau|jaunga|mita|marta|mar
student|students|farmer|kisan|kisano|chhatra|chhatr ~3 @suicide
cut yourself|urself some|a|slack|loose|off
delete|poison yourself|urself from|off
shoot yourself|urself a|an|some
drown yourself|urself in ~2 work|music|books|studies|hobbies|food|chai|art|movies|love|prayer
@kill yourself|your self? respect|doubt|blame|pity|worth|esteem|confidence
dead tired|bored|serious|honest|inside|sure|set|certain|right|wrong|to|last
`;

/**
 * 2 active ideation or self-harm, 3 imminent: a plan with a time, means at hand, an act, a goodbye. What is passive (1) or about
 * somebody else is said in too many ways for phrases: but for a few, the word model finds it.
 */
export const levels: Readonly<Record<1 | 2 | 3, string>> = {
  3: `
tonight is the night
@took ~2 @many ~3 @pills|of|them
@took everything|all ~3 medicine|box|them|pills
@took them all
swallowed|swallow ~3 @pills
overdose|overdosed|od on|tonight|now|today|$
drank|drunk|drink|swallowed|ate|consumed ~5 @poison|cleaner|detergent|sanitizer
ive|just|already|have|i slit|cut|slashed ~1 wrist|veins|throat
@not stop the? bleeding
tied|made|tying|around|tie ~2 noose|rope
sitting|standing|lying|waiting|walking|im ~2 railway|train|rail|metro ~1 track
track|tracks|patri|patriyon ~1 pe|par ~1 baith+|khad+|let+
painless|easiest|quickest|best|fastest|painful|peaceful|easy|quick|sure|surest way|method|death ~2 die|kill|end|suicide|go|death|$
how do|can|to|should i? @adv? kill|hang|end|die|unalive|overdose|commit|drown myself|my|suicide|quickly|painlessly|without|peacefully|fast|easily|$
how many|much ~8 die|kill|lethal|fatal|overdose|wake|death
what|which|kaun|kaunsi|kya ~3 dose|amount|@pills|@poison ~6 die|kill|kills|lethal|fatal|death|maut|mar+
painful|painless|pain|hurt|dard ~4 hang|die|drown|death ~2 yourself|$
edge|ledge ~2 terrace|roof|bridge|building|balcony|cliff
goodbye|bye|alvida cruel? world|forever|duniya|zindagi
today|tonight|tomorrow is|will be? my|the @last day|night
@not be|live|alive|around|here|see|make ~2 tomorrow|sunrise|morning|longer
will|ill ~1 be gone|dead ~1 by|tomorrow|tonight|soon|forever|before|$
ending it|this|myself|everything ~1 tonight|today|now|tomorrow|weekend
about|ready to jump|end|kill|hang|do
im|am jumping|hanging|dying $
mera|@life ~2 @last din|raat|message|post|msg|khat|vent|sandesh|baat
@many ~3 @pills ~2 kha|nigal|le li|liya|chuka|dali|gaya|lunga|raha|rahi
goliyan|goliyon|pills|tablets ~1 kha|nigal|le li|liya|chuka|dali|lunga
neend|sleeping ~2 @pills ~2 kha|nigal|le li|liya|chuka|lunga
@poison ~1 kha|pee|nigal liya|li|chuka|raha|rahi|gaya|gayi
@nas ~1 @kaat li|liya|di|chuka|dali|dala
rassi|dupatta|saree|rope ~2 bandh+|baandh+|latka+
kaise maru|marte|mare|mara
@suicide kaise kar+
kitni ~4 @pills|@poison ~4 mar+|maut|jaan
ja raha|rahi hu ~1 hamesha
hamesha ke liye ja+|chala|alvida
mere jane|marne ke baad
poured|pour|daal ~3 kerosene|petrol|acid
raat|din ~1 mera ~1 aakhri|antim
ja raha|rahi hu ~2 duniya
track|patri pe|par hu
rope|noose|blade|bled|razor|rassi|@poison ~2 in|with|ready|against|saamne|haath ~1 hand|hands|me|front|wrist
haath|hand|hands ~2 rope|noose|blade|bled|razor|rassi|@poison
gas ~3 on|khol+|windows
aaj|raat|kal ~4 @nahi bachunga
bleeding|blood|khoon ~5 @limb|nas
@many ~4 @pills ~3 mouth
pills are? work
padhna|padho ~1 tak|tab
someone|anyone ~3 how to die|kill
already|just @took ~2 pills|tablets|them
noose|fanda
this is goodbye|bye|alvida
chhat|pul|building|bilding ~1 kinare
maaf ~8 ja raha|rahi
ghante|minute|phir|baad ~4 @nahi rahunga
just slashed|cut|slit|sliced my @limb
kha ke so jaunga|jau ~1 hamesha
by the time ~4 read|see|find ~2 gone|dead|late
how long ~6 find my|me ~1 body|if
ja|chala|chali jau|jaunga|raha|rahi ~1 hu? hamesha
duniya|sab|sabko|sabhi ko alvida|goodbye
mujhe ~2 @nahi dekhoge|dekhega|paoge|milega ~1 ab|kal|phir|kabhi|$
counted ~3 @pills
make it|this through|past the|this night|tonight|morning
gave|given ~3 phone? password|pin to
letter|note ~4 under ~2 pillow
hour|hours|minute|minutes|ghante|minute ~4 terrace|chhat|roof|ledge|bridge
terrace|chhat|roof|ledge ~8 hour|minutes|minute|ghante ~2 khada|khadi|standing
wali? train ~1 ka ~1 wait|intezar
aakhri|aakhiri|antim raat|din ~3 mera|meri
haath ~1 @kaat li|liya|di|dali
parapet|railing ~3 building|bridge|terrace|roof
`,
  2: `
@want to|2|# @adv? @adv? die|dead|unalive|kms
wanna|gonna|going|want to? @adv? @adv? die|dead|unalive|kms
@want to be @adv? dead|killed
i should @adv? be? dead|die|kill|end|unalive
feel|feels|felt like|as dying|killing|ending|jumping|hanging|suicide|die
@kill|@hurt @adv? my? myself|self|mysel|myslf
end|take|taking|took|ended|quit|finish|destroy|terminate my own? life
kms|ctb
self harm|harmed|harms|injury|mutilation
start|started|keep|kept|cant|stop|relapsed|addicted|urge ~2 cutting ~1 again|myself|since|because|$
cutting again|since|myself
cut|slit|slash|scratch|burn|burned|burnt|carve my own? @limb
bang|hit|smash ~1 my head
blade|razor|knife ~3 my|to @limb|hand|hands
think|thought|imagine|dream|fantasise|fantasize|urge|obsessed|planning|idea|wonder|google|googled|searching ~4 dying|die|death|killing|hanging|drowning|overdosing|suicide|unaliving|slitting
death|dying|suicide|dead is|seems|feels|would|sounds|looks ~3 easier|better|only|peaceful|best|relief|easy|solution|option|answer|escape|way
will|wanna|plan|tried|try|attempted|decided|going|gonna to|of? end|kill it|myself|me|everything|all
@dont @want to? @adv? live|exist|breathe|survive|wake|continue
@dont @want to? @adv? be|keep|go|carry @adv? alive|here|around|living|existing|going|breathing|on
urge|urges|impulse|tempted ~3 hurt|cut|kill|harm|die|jump|burn
mar ~1 jana|jane ~2 @hai|@chah|accha|behtar|better|sahi|ka|mann
mar jana|jane ka|ki|ke|ko ~2 @mann
mann|dil|jee karta|kar|hota|ho|chahta|hai ~4 mar+|@khatam|@suicide|kood+|latak+|kaat+|zeher|jaan
apni|khud|meri ~1 jaan|@life ~1 de+|le+|@lu|@khatam
khud|khudko|apne|apneaap aap? ko? ~1 @khatam|maar+|@kaat|nuksan|chot|hurt|jala+|takleef|harm|mita+|dard|saza|kill
@life ko? ~1 @khatam kar+|@lu
sab|sabkuch|khel|kissa|kahani kuch|ko|hi? ~1 @khatam kar @lu
@khatam kar @lu ~1 khud|apni|@life|main
@jeena @adv? ~1 @nahi ~1 @chah|@hai|mujhe|ab|main|hu|$
@nahi ~1 jeena ~1 @chah|@hai|mujhe|ab|main|hu|aur|yaar|$
jiya|jee ~2 @nahi jata|ja|jaye|sakta|paunga|paa|pata
@nahi ~1 jiya|jee jata|ja|sakta|paunga|paa
mujhe|bhagwan|god|allah|khuda|ishwar|upar ~4 utha le|lo|lena|leta
latak+|jhool jau|jaunga|jana|jane|hi
wrists|arms|thighs|legs ~2 look|looks like
looking|staring|stare|dekh+ ~3 fan|pankha|pankhe ~4 thinking|khayal|about|it
fanda|fande ~2 laga+|daal+|dal+|latak+|jhul+
maut ~1 maang+|mang+
hope|wish|pray ~3 truck|bus|car|train ~1 hits|hit me
marne ki|ka ~1 himmat|hausla|taiyari|tareeka
in front of a? train|metro|truck|bus
jee|jiya|jeene ke|kar ~1 kya|kyu ~2 kar+|karunga|faida|milega
duniya|@life ~1 chhod+ ~2 ja+|jau|jana|jane|jaat|du|dunga|dena
@mue ke|ka|ki|k ~1 man|mann|jiu|manva|mun
@jiye ke|ka|ki|k ~1 man|mann|iccha|manva ~2 @naikhe
@jiye ~1 @naikhe jaat|jaai|jata|jaye
jaan|jan|praan de @leb
fansi|fasi|fansri ~1 laga|lagaay|lagai|lagay @leb
@poison|jahar|goli|goliya|dawai ~1 kha|khaai|khai|khay @leb
kood|kud|koodi|kudi @ib
maut ~1 aa|aay jait|jaat|jaai|jaye
jinigi|jingi|jinagi|jingani ~2 bhaar|bojh|bhari|bekar|tang|thak+|haar+
@poison ~5 kha+|pi|pine|drink|kharid+|le|li|la+|mil+|ready
blade|bled|razor ~6 haath|nas|kalai|wrist|arm|arms|thigh|skin|nishan|@kaat
haath|nas|kalai|wrist|arm|arms ~5 blade|bled|razor
haath|bazu ~2 @kaat hu|hai|leta|lu|li|raha|rahi|ne|ka|deta
kood|kudna|chhalang ~1 jau|jaunga|jane|jana|ka|hi|lagau|laga|maaru|mar|wala|wali|raha|rahi|ja|du|dunga
@high|@road ~3 kood+|kud+|chhalang
why|disappointed|hate|sad|regret|upset ~6 still alive|breathing
tried|trying|attempted|want|going|gonna|thinking ~2 overdose|hang|unalive|od
will|gonna|going|ill|wanna|want to? jump from|off|infront|into
cut|slit|slash|scratched|scratch my @limb
happier|better|rather|prefer ~1 dead
mujhe maar de|do
`,
  1: `
jeene ka|ki|ke ~1 @mann|man ~2 @nahi
paida|janam ~2 @nahi|@kyu|hi
kaash ~5 paida|janam|uthu|khule|mar+|maut
never|not been|be|was|wasnt? born|existed
@life|duniya ~1 se ~1 thak+|tang|haar+|nafrat
stop|quit|cease|to|not existing|existed
`,
};

/** Level 2 in many texts and an idiom in others: the words around it decide. */
export const hints = `
@suicidal
@suicide
think|thought|imagine|want|wanna|going|gonna|will|should|ill|urge|could|tempted|dream ~3 jump|step|walk|throw|run|lie|drive ~3 off|from|front|into|down|in|under ~3 @high|@road
jump off|from|infront|in|into ~3 @high|@road
marna
mar hi|bas|bhi? jau|jaunga|jata|jaati
jaan de|deni|du|dunga|dedu
maut|mout
fansi|fasi ~2 laga+|le|lu|lunga|latak+|jhul+|kha+
@nahi rahunga|rahungi $
ganga|yamuna|nadi|paani|talab|nahar|kuan|kue|dariya ~2 sama+|doob+|kood|kud
mar|mari|muye @ib
@nas|hatho ~2 @kaat
@kaat ~2 khud|apne|@nas
@road ke|k aage|neeche|samne ~1 aa+|kood+|kud+|so|let+|jau|ja
mar @kyu @nahi jata|jaati
`;

/** Signs that count only together with a phrase of a level, or with each other. */
export const signs = {
  /** Means at hand, a place. */
  means: `
rope|noose|blade|bled|knife|razor|rassi|chaku|dupatta|@poison ~3 front|with|here|ready|hand|hands|next|beside|haath|paas|samne|aaya|aayi|against|kharid+|chair
hand|haath|paas|samne|pocket ~3 rope|blade|knife|razor|rassi|chaku|@poison
have|got|bought|found|holding|ordered ~3 rope|noose|blade|knife|razor|poison
standing|sitting|am|im|climbed|reached ~3 roof|rooftop|edge|ledge|bridge|terrace|railing|tracks|cliff|balcony
@high|kinare|patri|track ~2 pe|par ~2 khada|baitha|hu
blood|bleeding
khoon ~1 beh+|nikal+|bah+
`,
  pills: `
pills|tablets|goliyan|goli|strip ~3 front|with|here|ready|hand|hands|next|beside|table|drawer|pocket|haath|paas|samne|water
have|got|bought|found|collected|saved|holding ~3 pills|tablets
`,
  farewell: `
goodbye|alvida
maaf|maafi ~3 kar|karna|karo|kardena
sorry|forgive ~1 maa|mom|mummy|papa|amma|dad
`,
  goodbye: `
bye $
final|aakhri|my last? day|night|time|post|message|din|raat|baar|vent
have|got|made|and a plan
one step
@last baar
doing it
`,
  /** Preparation: two kinds of it are enough. */
  note: `
note|letters|chitthi ~2 wrote|written|likh+|ready|chhod+
`,
  things: `
given|gave away my|all
`,
  letter: `
tell my ~3 love|loved|sorry
`,
  end: `
this is|was the|it end?
ruk|rok+ @nahi
`,
  date: `
set|fixed|fix ~1 date
`,
} as const;

/** How a sentence speaks: of when, of the past, of relapse, of recovery, in stories, in grief, of another, in jest. */
export const context = {
  now: `
tonight|tonite
right now
aaj|abhi raat|hi
ja raha|rahi hu
wala|wali hu
about to
next|agli train
`,
  soon: `
today|tomorrow|sunday|monday|friday|saturday|weekend|agli|evening|birthday|shaam|days|now|aaj|kal|abhi|tmrw|soon
`,
  usedTo: `
used to
`,
  past: `
year|years|months|month|weeks|days since
laga|lagta|lagti tha|thi
year|years|months|mahine|saal ago|back|pehle
last|pichle year|saal
in ~1 past|school|college|class|lockdown
back then
when i was
pehle|kabhi ~6 tha|thi|the
chahta|socha|sochta|aata|karta tha|thi|the
koshish|attempt ki|kiya thi|tha
was @suicidal
`,
  again: `
again|back|still|urge|urges|relapsed|phir|wapas|dobara|firse
these days
ab bhi|wahi
`,
  clean: `
overcame|overcome|recovered
clean|sober for|from|since
day|days|months|years|year|weeks clean|sober|free
`,
  well: `
grateful|glad|survived|thankful|proud
happy|felt|feel|khush ~2 alive|zinda
better|okay|ok|fine|happy|theek|khush now|today|hu
bach gaya|gayi
therapy|medication|treatment|doctor|help ~3 helped|helping|works|saved|madad|got
got|pulled|brought me through|out
get|gets|got better
`,
  story: `
news|article|film|movie|series|episode|show|song|songs|lyrics|gaana|scene|character|novel|kahani|kahaniyan|natak|drama|book|actor|seminar|khabar|akhbar|sociology|research|essay|debate|documentary|campaign|webinar|poem|shayari|story|channel|report|kisan|kisano|farmer|villain|serial|lecture|assignment|podcast
`,
  grief: `
lost|died|funeral|passed|barsi|yaad|miss|dehant
`,
  /** Harming oneself as a habit: no plan to die. */
  habit: `
jab|kabhi|aksar|roz|har|whenever|always|sometimes|usually|when|every ~9 cut|cuts|@kaat|blade|bled|burn|scratch
cut|cuts|cutting|@kaat|blade|bled|burn|scratch ~9 jab|kabhi|aksar|roz|har|whenever|sometimes|usually|when|every
blade|bled ~1 maar+|chala+|fer+ ~1 hu|hai
`,
  joke: `
lol|lmao|lmfao|haha|hahaha|hehe|rofl|xd|jk
`,
} as const;

/** Tells the reader to die or to hurt themselves. */
export const tellsReader = `
kys
^ @adv? go? @adv? @kill|cut yourself|urself|yourselves
^ @adv? go? @adv? @kill your|ur self now|already|bitch|loser|$
go|just @adv? hurt yourself|urself|yourselves
it|go|should|better|must|can|please|pls|and @adv? @kill yourself|urself|yourselves
go and? @adv? die|slit|overdose
go @adv? hang $
^ please|pls|plz @adv? die
please|pls|just die already|soon|bitch|loser|$
favour|favor and @adv? die|kys|kill
favour|favor and stop|dont breathing|wake up?
^ @adv? die already|alone|bitch|loser|soon|slowly|you|u|$
^ @adv? drop dead $
you|u|ya should|must|deserve|need|better|ought to? @adv? be? die|dead
you|u|ya should|must|need|better|ought to? @adv? jump $
you|u|ya should|must|need|better|ought to? @adv? jump off|from|infront|under|in|into ~3 @high|@road
you|u|ya should|must|need|better|ought to? @adv? commit @suicide
like you|u should ~1 die|drink|burn|hang|cut poison|themselves|yourself|deeper|$
you|u|youre|ur|youd are|r|would|will? be? @adv? better off? dead
why|y dont|not|havent|arent|cant|wont you|u ~2 die|dead|jump|@kill yourself|urself|off|from|in|$
hope|wish|pray you|u|ur @adv? die|died|dead
hope|wish|pray you|u|ur @adv? kill yourself|urself
hope|wish|pray you|u get cancer|raped|killed|under|hit
hope|wish|pray you|u dont|never wake up? tomorrow|ever|$
oxygen ~3 end|die|kill|unalive
dont fail at dying
^ should have died
you|u should ~1 have died
^ then? jump $
cut deeper next|$
take|swallow|eat the whole|entire strip|bottle and|$
start swallowing ~2 pills
buy a rope $
end your|ur own? life
slit|cut your|ur wrist|throat|veins
^ go? @adv? jump off|from|in|into|infront ~3 @high|@road
go jump off|from|in|into|infront
go drink bleach|poison|acid|phenyl
^ drink bleach|poison|acid|phenyl
^ @adv? commit suicide
world|everyone|we would|will|wud|is|are? be? @adv? a|much|far? better off|place? without you|u ~1 $
you|u dont|not deserve to? live|exist anymore|bitch|loser|$
mar bhi|hi? ja|jao $
mar ja|jao tu|tum|sale|saala|kutte|kahin|kamine|harami|na|aaj|abhi|yaar|bkl|bc|mc|loser
ja|jake|jakar ke|kar? ~2 mar ~1 ja|jao|kahin|sali|sale|$
jaldi mar taki|na|sale|$
tu|tum|tujhe|tumhe|tera|tumhara ~3 mar hi? ja|jao|jana|jaye|@kyu
tere|tujhe|tujhko|aisi|jaise|jaisi ~5 mar+ jana|chahiye chahiye|tha|aaj|$
tu|tum ~1 marega|marogi tabhi|jaldi|aaj|kal|$
mar @kyu @nahi jata|jate|jati
doob mar|maro
ja doob
kaat ke dikha nas
@poison hi? kha|pi|pee|kharid le|lo|ley|ja
@poison kha|pi lena chahiye
fansi|fasi|fanda hi? laga le|lo
fansi|fasi laga lena chahiye
fansi|fasi|pankhe|fan|rassi ~3 latak ja|jao
latak ja|jao pankhe|fan|rassi|$
@suicide hi? kar le|lo
karle|karlo @suicide
khud|apne aap? ko? khatam|maar|mar kar|dal? le|lo|dal|aur
nipta le khud
khud|apne aap? ko? aag laga le|lo|de
apni jaan de|le de|do|le|lo
^ kood ja|jao $
kood ja|jao @high|@road
kood ja|jao tu|tum|sale|saala|kutte|na|$
@high|@road|kuan|kue|neeche ~3 kood ja|jao
ja|jake|jakar ke? kuan|kue|nadi me kood
train|tren|metro|truck|bus|gadi ke aage|niche|neeche|samne let|aa|so|kood ja|jao
patri|track|tracks pe|par jake|jakar|ja? let|so ja|jao
nas|kalai ~1 kaat le|lo
gala kaat le|apna|$
gale pe chala
saari|sari|puri|poori goli|goliyan|strip kha le|lo|ja|$
goli|goliyan ek saath kha
kha aur|ke so ja|jao hamesha
nikal le|ja|jao? is? duniya se
nikal le upar $
kare tu|tujhe ~9 na|@nahi uthe|dekhe
kare tu ~5 uthe hi na|@nahi
kare teri ~2 arthi
tu zinda kyu
tujhe|tere|tera|teri|tumhe ~3 jeene|zinda ~2 haq @nahi|hi
dharti ka bojh kam
marne|maiyat|arthi pe|par mithai
tapak ja
kutte ki maut
`;

/** Excuses, anywhere before it in the sentence: what somebody else said, of oneself, a condition. */
export const excusesBefore =
  'told|tell|tells|telling|said|say|says|saying|asked|asks|wrote|texted|messaged|message|messages|comment|comments|commented|dm|dms|shouted|yelled|screamed|keeps|bullies|bullied|whoever|someone|when|before|want|feel|feeling|thinking|think|thought|thoughts|considering|about|song|movie|i|im|my|bola|bolta|boli|bol|kaha|kehta|keh|kah|kahta|kahna|likha|likhta|likhte|ne|koi|log|wo|main|mujhe|hum|lol|usne|jo|jisne|mere|meri|awaz';
/** Within three words before it: advice against it, a possibility. */
export const excusesClose = 'dont|never|not|stop|mat|if|agar|ki';
/** Within three words after it. */
export const excusesAfter =
  'for|over|isnt|wont|at|because|kar|ke|du|dunga|bola|bolta|bolti|bolte|bolne|bol|kaha|kehta|kehne|kahna|kehna|likha|said|told|raha|rahi|rahe|laughing|comment';

/** Beside `tellsReader`: a vent that speaks to everybody who reads it, and what is said to one of them. */
export const tellsReaders = `
you|u|yall|everyone|everybody|all|anyone|whoever|people|losers|kids|reader|readers|ones ~6 @adv? die|kys|jump|hang
you|u|yall|everyone|everybody|all|whoever|reader|kids|losers ~8 @adv? @kill yourself|yourselves|urself|urselves|themselves
you|u|everyone|kids|reader|readers|whoever ~6 take|swallow|eat ~2 @pills
^ go die
go|just|pls|please @adv? die
go|just|to|and @adv? hang|drown|shoot|kill yourself|yourselves|urself|urselves
go jump
^ jump $
^ jump off ~3 @high
go|just|and jump off ~3 @high
go|just|and do it jump
^ do it jump
just end it $
end it ~1 nobody|noone|already
drink|swallow|eat bleach|poison|acid|phenyl|harpic
cut deeper
kys ~3 all|you|of|everyone|losers|$
@kill urselves|yourselves already|now|all|$
rope is ~1 cheap
buy|get a|one|the? rope|noose
go buy one
fan|rope|bridge|roof|blade is ~1 right? there|waiting ~1 use|go|jump
fan|rope|blade ~5 use it
should @adv? take|swallow|drink ~2 @pills|poison|bleach
mar ja|jao|jaye|jaiye|jaao|jaaye
mar @kyu @nahi jata|jate|jati|jaate
mar jana chahiye ~2 tum|sab|tumhe|aap|$
tum|tu|aap|sab|log|sabko|tumhe|walo|wale ~6 mar jana ~1 chahiye
doob|dub maro|mar|mariye|jao
fansi|fasi|fanda ~1 laga|lagao le|lo|lijiye
latak ja|jao|jaiye
kood ja|jao|jaiye|maro
@poison|goli|goliyan|goliya|phenyl ~2 kha|khao|pee|pi le|lo|lijiye
@poison khao|peeyo|piyo
@suicide ~1 kar lo|le|lijiye
nas ~1 @kaat le|lo|lijiye|dalo
@road ke neeche|aage|samne|niche ~1 aa|so|kood|let ja|jao
jeene|zinda ~3 haq|hak ~1 @nahi ~4 mar
tum|tumhare|tere|tujhe|tumhe|tum ~5 jeene|zinda ~3 haq|hak
reading|reader|padh|padhne ~6 mar ja|jaye|jao
goli kha aur|ke|kar ~1 so
khud|apne ko|aap ~2 khatam|maar kar|dal? lo|le|dalo
`;

/** Anywhere in a vent: it is said of oneself, to oneself, or it is somebody else's word. Then it passes. */
export const notToReaders =
  'i|im|ive|ill|id|me|my|mine|myself|main|mai|mein|maine|mainne|mujhe|mujhko|mujhse|mera|meri|mere|hum|humko|hume|hamara|hu|khudse|mirror|mirrors|reflection|sheesha|sheeshe|shishe|aaina|aaine|head|mind|brain|thought|thoughts|voice|voices|inside|dimag|mann|man|dil|awaz|awaaz|andar|told|tell|telling|tells|said|say|says|saying|saas|wrote|write|writes|written|typed|type|posted|commented|comment|comments|dm|dms|text|texted|message|msg|shouted|screamed|yelled|called|joke|bola|boli|bole|bolta|bolti|bolte|bolna|bol|kehta|kehti|kehte|kehna|kahta|kahti|kahte|kahna|likha|likhi|likhte|likhta|likhti|likh|shabd|usne|unhone|usko|suna|sunte|sunke|sunkar|soch|sochta|sochti|note|dear|sorry|about|thinking|feel|feeling|feels|want|wanna|considering|tonight|ourselves|herself|himself|uske|uski|mazak|apneaap';
