/**
 * The words that the identity guard knows, in English, Hinglish and Hindi, folded as in identity-tokens.ts: lower case,
 * no nukta, ं for ँ. To teach it a word, add it here and a line to guard/test/identity-dev.tsv.
 */

const split = (words: string) => words.split(' ');

/** Digits as people say them. The position is the value. */
const spokenDigits = [
  'zero oh shunya sunya jiro ziro शून्य शुन्य जीरो',
  'one ek एक वन',
  'two do दो टू',
  'three teen tin तीन थ्री',
  'four char chaar चार फोर',
  'five panch paanch pach paach pnch पांच पाच फाइव',
  'six che chhe chey chhah chah chha छह छः छे छ सिक्स',
  'seven saat sat sath saath सात सेवन',
  'eight aath ath aat aanth आठ एट ऐट',
  'nine nau nou nao नौ नाइन',
];

/** 10 to 19, and the tens from 20 to 90: "ninety eight, seventy six". */
const spokenTens =
  '10 ten das दस 11 eleven 12 twelve 13 thirteen 14 fourteen 15 fifteen 16 sixteen 17 seventeen 18 eighteen 19 nineteen 20 twenty 30 thirty 40 forty 50 fifty 60 sixty 70 seventy 80 eighty 90 ninety';

export const digitsOfWord: ReadonlyMap<string, string> = (() => {
  const digits = new Map<string, string>();
  for (const [value, words] of spokenDigits.entries())
    for (const word of split(words)) digits.set(word, String(value));
  let value = '';
  for (const word of split(spokenTens)) {
    if (word <= '99') value = word;
    else digits.set(word, value);
  }
  return digits;
})();

/** "double nine", "triple zero". */
export const repeatsOfWord: ReadonlyMap<string, number> = new Map([
  ...split('double dbl डबल').map((word) => [word, 2] as const),
  ...split('triple tripple ट्रिपल').map((word) => [word, 3] as const),
]);

/** Digits that are other words as well, so at the edge of a number they do not belong to it: "number do", "a teen". */
export const looseDigits: ReadonlySet<string> = new Set(
  split('do teen tin char sat sath saath one ek oh das ten che दो एक दस एट ऐट छ'),
);

/** Words that sound like digits: only among digits that are written one by one. */
export const homophones: ReadonlyMap<string, string> = new Map(
  split('to 2 for 4 won 1 ate 8').flatMap((word, n, all) => (n % 2 === 0 ? [[word, all[n + 1] ?? '']] : [])),
);

/** Said between the digits of one number. */
export const fillers: ReadonlySet<string> = new Set(
  split('then and aur phir fir dash dot space star ke uske baad followed by ends with फिर और उसके बाद'),
);

/** What a word near a number or name says about it. */
export type Cue =
  | 'phone'
  | 'number'
  | 'landline'
  | 'helpline'
  | 'other'
  | 'amount'
  | 'scores'
  | 'aadhaar'
  | 'pan'
  | 'upi'
  | 'mail'
  | 'platform'
  | 'follow'
  | 'named'
  | 'site';

const wordsOfCue: Readonly<Record<Cue, string>> = {
  phone:
    'call phone phn fone mobile mob whatsapp whatsap watsapp wa contact ping text txt msg message reach dial tel sms ring कॉल फोन मोबाइल व्हाट्सएप व्हाट्सऐप संपर्क',
  number: 'number no num nmbr नंबर नम्बर',
  landline: 'landline लैंडलाइन',
  helpline: 'helpline helplines हेल्पलाइन',
  // Numbers that are no phone numbers.
  other:
    'pnr order roll ref reference invoice ticket application enrolment enrollment reg registration account acc utr txn transaction rank otp bill complaint policy loan receipt tracking serial token customer consumer admit hall candidate seat membership employee imei isbn code pin पीएनआर ऑर्डर रोल बिल रैंक खाता टिकट शिकायत',
  amount:
    'rs rupees rupaye rupay lakh lakhs crore salary package stipend rent fees emi price views followers likes times baar people log users steps km gb रुपये रुपए लाख करोड बार',
  scores:
    'marks scored score percent percentile cgpa sgpa weight kg age bp physics maths years saal pages अंक प्रतिशत उम्र वजन',
  aadhaar: 'aadhaar aadhar adhar adhaar uid uidai आधार',
  pan: 'pan pancard पैन',
  upi: 'upi vpa gpay phonepe bhim यूपीआई',
  mail: 'mail email gmail ईमेल मेल जीमेल',
  platform:
    'insta instagram ig snap snapchat telegram tg discord twitter fb facebook reddit इंस्टा इंस्टाग्राम टेलीग्राम',
  follow: 'follow dm add msg find dhundo search',
  named: 'id handle username user account acc name naam is hai pe par my mera on आईडी है पर मेरा',
  site: 'blog site website link page visit channel open join url check read साइट लिंक',
};

export const cuesOfWord: ReadonlyMap<string, ReadonlySet<Cue>> = (() => {
  const cues = new Map<string, Set<Cue>>();
  for (const [cue, words] of Object.entries(wordsOfCue) as [Cue, string][])
    for (const word of split(words)) cues.set(word, (cues.get(word) ?? new Set()).add(cue));
  return cues;
})();

export const mailProviders: ReadonlySet<string> = new Set(
  split('gmail yahoo ymail outlook hotmail proton protonmail icloud rediff rediffmail zoho जीमेल याहू'),
);

/** Providers whose name alone, after a nickname, is an address: "riya08 gmail". */
export const plainProviders: ReadonlySet<string> = new Set(split('gmail rediffmail ymail hotmail जीमेल'));

/** Handles of UPI addresses that are no other word. */
export const upiHandle =
  /^(?:(?:ok|pt|wa|tap|navi|super|jupiter|fi|yes)(?:hdfc|icici|sbi|axis|yes|federal|cred|pay)|ybl$|ibl$|axl$|apl$|yapl$|upi$|barodampay|ikwik|cnrb|idfc|axisb$|kotak811)/u;

/** Handles that are also companies, where people work and shop: only with @ or "at the rate". */
export const upiCompanies: ReadonlySet<string> = new Set(
  split(
    'paytm sbi icici hdfcbank axisbank kotak airtel jio fam yesbank pnb boi rbl federal slice freecharge indus',
  ),
);

/** Top-level domains that are no English or Hinglish word. */
export const domains: ReadonlySet<string> = new Set(
  split(
    'com org net edu gov info biz xyz app dev online site live tech blog shop store club link page gg ly io co tv uk ee ai example कॉम',
  ),
);

/** Domains that are also words: after a full stop without a space, "low.in" is two words. */
export const wordDomains: ReadonlySet<string> = new Set(split('in me be us so is it to my ac इन'));

/** Words after @ that mean "at". */
export const places: ReadonlySet<string> = new Set(
  split('home work school college night least all everyone here office hostel this that midnight'),
);
