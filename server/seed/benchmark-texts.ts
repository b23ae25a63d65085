import { emotions, type Emotion } from '@unsaid/contract';
import type { SeededRandom } from './seeded-random.ts';
import type { SeedVent } from './vents.ts';

/**
 * Vents for benchmarks and tests of query plans, not for readers: each ends with three generated words whose frequencies
 * follow Zipf's law, so that searches can be measured for words in 1 of 40 vents up to 1 of 40,000.
 */

const openings: Record<Emotion, readonly string[]> = {
  Happy: [
    'Small win today',
    'आज अच्छा लगा',
    'Mummy ne khud phone kiya',
    'I said no and nobody died',
    'First salary',
  ],
  Sad: ['I miss how it was', 'अकेलापन', 'Aaj phir rona aa gaya', 'Nobody asked how I am', 'Empty house'],
  Angry: [
    'They never listen',
    'बस बहुत हुआ',
    'Har baar meri galti kyun',
    'Unfair at work again',
    'Not my fault',
  ],
  Anxious: [
    'Exams are eating me alive',
    'नींद नहीं आती',
    'Result kal hai aur dar lag raha hai',
    'What if I fail',
    'Heart racing at 3',
  ],
  Neutral: ['Just a day', 'कुछ खास नहीं', 'Pata nahi kya likhun', 'Writing so I do not forget', 'Rain again'],
  Burnout: [
    'Third weekend at the office',
    'थक गया हूँ',
    'Ab aur nahi hota',
    'Running on empty',
    'I cannot open the laptop',
  ],
};
const sentences = [
  'I study till three and still feel like I know nothing.',
  'My parents keep asking about rank and I just smile.',
  'सब कहते हैं सब ठीक हो जाएगा, पर कब?',
  'कभी-कभी बस कोई सुन ले, इतना ही चाहिए।',
  'Office se aake bas chhat dekhta rehta hoon.',
  'Dost sab aage nikal gaye, main wahin ka wahin.',
  'I told my manager I could not take one more project.',
  'She left and the flat is so quiet.',
  'घर पर किसी को नहीं बता सकता।',
  'Kisi ko bataunga toh judge karenge.',
  'I wish someone would ask how I am instead.',
  'The train was late and I cried on the platform.',
  'आज पहली बार लगा कि मैं अकेला नहीं हूँ।',
  'Maybe tomorrow. Maybe not. But I am writing it down.',
];
const tags = [
  'exams',
  'family',
  'work',
  'परिवार',
  'breakup',
  'hostel',
  'money',
  'sleep',
  'नींद',
  'college',
  'loneliness',
  'NEET',
  'career',
  'friends',
  'marriage',
  'small wins',
];
const replies = [
  "I've been there.",
  "I'm listening.",
  'आप अकेले नहीं हैं।',
  'Same here yaar, ek ek din.',
  'Thank you for saying it.',
  'Sending you a hug. Sleep if you can.',
  'It took me a year, and it did get lighter.',
];

/** Generated words are made of these. Benchmarks generate more words from the same list. */
export const syllables = [
  'ka',
  'ri',
  'mo',
  'ta',
  'ne',
  'shu',
  'la',
  'vi',
  'dho',
  'pa',
  'gu',
  'sa',
  'ye',
  'bhi',
  'ro',
  'na',
];

export const vocabulary = 50_000;

/** The word of a rank in the vocabulary. The lower the rank, the more frequent the word. */
export function wordAt(rank: number): string {
  const parts = [rank & 15, (rank >> 4) & 15, (rank >> 8) & 15, (rank >> 12) & 15];
  return parts.map((part) => syllables[part]).join('');
}

/** Zipf's law: few words are frequent and most are rare. */
function randomWord(random: SeededRandom): string {
  return wordAt(Math.floor(Math.exp(random.next() * Math.log(vocabulary))));
}

/** The most comments under one vent. */
const mostComments = 60;

export function createBenchmarkTexts(random: SeededRandom): () => SeedVent {
  return () => {
    const emotion = random.pick(emotions);
    const lines = Array.from({ length: 1 + random.below(5) }, () => random.pick(sentences));
    const body = `${lines.join(' ')} ${randomWord(random)} ${randomWord(random)} ${randomWord(random)}`;
    const hashtags = [...new Set(Array.from({ length: random.below(4) }, () => random.pick(tags)))];
    const comments = Array.from({ length: Math.min(random.skewed(1), mostComments) }, () =>
      random.pick(replies),
    );
    return {
      emotion,
      title: random.pick(openings[emotion]),
      body,
      hashtags,
      comments,
      authorComments: replies,
    };
  };
}
