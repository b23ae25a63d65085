import type { SeededRandom } from './seeded-random.ts';
import { shuffle } from '../src/platform/shuffle.ts';
import {
  authorComments,
  emotionsOfKind,
  kindOfHashtag,
  kindsOfEmotion,
  sampleComments,
} from './sample-comments.ts';
import { sampleVents, type Language } from './sample-vents.ts';
import type { SeedVent } from './vents.ts';

/** People answer in the language of the vent or in Hinglish. */
const answeredIn: Readonly<Record<Language, readonly Language[]>> = {
  en: ['en', 'hinglish'],
  hinglish: ['hinglish', 'en', 'hi'],
  hi: ['hi', 'hinglish'],
};

const allVents = (Object.keys(sampleVents) as Language[]).flatMap((language) =>
  sampleVents[language].map((vent) => ({ language, vent })),
);

/** About four vents in ten get no comment: they wait to be heard. */
const commentMean = 6;

/** Hand-written vents in random order. Each is used once before any is repeated, and half of them lie in between. */
export function createSampleTexts(random: SeededRandom): () => SeedVent {
  const mixed = shuffle(allVents, random.next);
  const half = Math.ceil(mixed.length / 2);
  let [later, next] = [mixed.slice(0, half), mixed.slice(half)];
  let left: typeof allVents = [];
  return () => {
    if (left.length === 0) {
      [next, later] = [later, next];
      left = shuffle(next, random.next);
    }
    const { language, vent } = left.pop() as (typeof allVents)[number];
    const [emotion, title, body, ...hashtags] = vent;
    const special = hashtags
      .flatMap((tag) => kindOfHashtag[tag] ?? [])
      .filter((kind) => emotionsOfKind[kind]?.includes(emotion));
    const kinds = [...new Set([...kindsOfEmotion[emotion], ...special])];
    const fitting = answeredIn[language].flatMap((spoken) =>
      kinds.flatMap((kind) => sampleComments[spoken][kind]),
    );
    const comments = shuffle(fitting, random.next).slice(0, random.skewed(commentMean));
    return { emotion, title, body, hashtags, comments, authorComments: authorComments[language] };
  };
}
