import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writtenText } from '../src/fields.ts';
import { limits } from '../src/limits.ts';
import { cleanLine, cleanText, countBytes, countGraphemes, isBlank, isUnacceptable } from '../src/text.ts';

const required = writtenText({ max: 100, isRequired: true });
const bio = writtenText({ max: limits.bio, maxBytes: limits.bioBytes });

function rulesOf(schema: typeof bio, value: unknown): string[] {
  const result = schema.safeParse(value);
  return result.success ? [] : result.error.issues.map((issue) => issue.message);
}

const code = (point: number) => String.fromCodePoint(point);
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, step) => code(from + step));

/** Characters that break naive cleaning, far more frequent here than in random text. */
const tricky = fc.constantFrom(
  ...[
    'a',
    'Z',
    '7',
    ' ',
    '  ',
    '\t',
    '\n',
    '\n\n',
    '\r',
    '\r\n',
    '\u00A0',
    '\u3000',
    '\u2028',
    '\u2029',
    '#',
    '<b>',
  ],
  ...['e', '\u0301', '\u0300', '\u0323', '\u0344', '\u0340', '\u20DD', '\u0488', '\u212B', '\u1E9B'],
  ...[
    'क',
    '्',
    'ष',
    'ि',
    '\u093C',
    'ന',
    '്',
    'ত',
    '্',
    'ی',
    'ه',
    '\u0CC6',
    '\u0CC2',
    '\u0CD5',
    '\u0CBF',
    '\u1100',
    '\u1161',
  ],
  ...[
    '\u200C',
    '\u200D',
    '\u200B',
    '\u200E',
    '\u200F',
    '\u202E',
    '\u2066',
    '\u2069',
    '\u061C',
    '\uFEFF',
    '\u00AD',
    '\u034F',
  ],
  ...[
    '👩',
    '👨',
    '🏴',
    '🏽',
    '❤',
    '\uFE0F',
    '\uFE0E',
    '1',
    '\u20E3',
    '🇮',
    '🇳',
    '\u{E0067}',
    '\u{E0062}',
    '\u{E007F}',
    '\u{E0001}',
  ],
  ...['\u3164', '\u2800', '\u115F', '\u{E0100}', '\u{1D173}', '\u{E0FFF}', '\u17B4', '\u{1D159}'],
);
const trickyText = fc.oneof(
  fc.array(tricky, { maxLength: 40 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.toWellFormed()),
  fc
    .array(fc.oneof(tricky, fc.string({ unit: 'grapheme', maxLength: 3 })), { maxLength: 30 })
    .map((parts) => parts.join('')),
);

/** Real text in many scripts. Cleaning must leave every line unchanged. */
const corpus: Record<string, string> = {
  Hindi: 'मैं ठीक हूँ, पर कभी-कभी बहुत अकेला लगता है। क्‍षमा करें, शक्‍ति, विज्ञान।',
  'Hindi with an explicit half letter at the end of a word': 'आधा क्‍ और पूरा क',
  Marathi: 'दर्‍या आणि वार्‍यावर',
  'Malayalam, chillu letters': 'അവൻ എന്റെ കൂട്ടുകാരൻ ആണ്, അവൾ പാട്ടുകാരി',
  'Malayalam, chillu written with a joiner': 'ഞാന്‍ അവന്‍ എന്‍റെ അവള്‍ കാല്‍ പേര്‍',
  'Malayalam, chillu with a joiner before a line ends': 'ഞാന്‍\nഅവള്‍',
  Bengali: 'আমি ভালো নেই। র‍্যাব, উত্‍সব, হঠাত্‍',
  Assamese: 'মই ভাল নহয়, কিন্তু চেষ্টা কৰিছোঁ',
  Tamil: 'எனக்கு யாரும் இல்லை என்று தோன்றுகிறது, ஸ்ரீ',
  Telugu: 'నాకు ఎవరూ లేరు అనిపిస్తుంది, క్‌ష',
  Kannada: 'ನನಗೆ ತುಂಬಾ ಬೇಸರವಾಗಿದೆ, ರ‍್ಯಾಂಕ್',
  Gujarati: 'મને ખૂબ એકલું લાગે છે, શ્રી',
  Punjabi: 'ਮੈਂ ਬਹੁਤ ਥੱਕ ਗਿਆ ਹਾਂ',
  Odia: 'ମୁଁ ବହୁତ ଏକା ଅନୁଭବ କରୁଛି',
  Sinhala: 'ශ්‍රී ලංකාව, ක්‍ෂ, ප්‍රශ්නය',
  Nepali: 'गर्‍यो, तर मन शान्त छैन',
  Persian: 'می‌خواهم تنها باشم؛ نمی‌دانم چه‌کار کنم، خانه‌ها',
  Urdu: 'مجھے کچھ سمجھ نہیں آتا، دِل بہت اُداس ہے۔ مُحَمَّدؐ',
  Arabic: 'بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ ٱلرَّحِيمِ',
  Thai: 'ฉันเหนื่อยมากจริง ๆ ไม่มีใครเข้าใจ ที่นี่ กตัญญู',
  Vietnamese: 'Tôi cảm thấy rất cô đơn, chẳng ai hiểu được nỗi lòng này ễ ậ ự',
  Hebrew: 'בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם',
  Tibetan: 'བཀྲ་ཤིས་བདེ་ལེགས།',
  Khmer: 'ខ្ញុំអស់កម្លាំងណាស់',
  Burmese: 'ကျွန်တော် စိတ်ညစ်နေတယ်',
  Korean: '나는 외로워요',
  Japanese: '誰にも言えない。が、ぱ、ヴ',
  Chinese: '我很累，没人懂我。',
  German: 'Größe, Straße, fühlen',
  'families of emoji': '👨‍👩‍👧‍👦 👩‍❤️‍💋‍👨 👩🏽‍🤝‍👨🏿 🧑‍🧑‍🧒',
  'trades and signs': '👩🏾‍⚕️ 🧑🏻‍🚀 🏳️‍🌈 🏳️‍⚧️ 🏴‍☠️ 👁️‍🗨️ ❤️‍🔥 🐻‍❄️ 🙋‍♂️',
  'flags, those of England, Scotland and Wales among them':
    '🇮🇳 🇧🇩 🇳🇵 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} 🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} 🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}',
  'skin tones': '👍🏻👍🏼👍🏽👍🏾👍🏿',
  keycaps: '1️⃣ 2️⃣ #️⃣ *️⃣ 🔟',
  'text and picture forms': '☺︎ ☺️ ™ ©️',
  'what a person types': "Line one.\n\n— “Line two”: 50% <b>& more</b> '; drop table users; --",
};

describe('the length limits of a text', () => {
  const whole = ['a', 'é', '7', 'क्षि', 'ன்', '한', '👍🏽', '👨‍👩‍👧‍👦', '🇮🇳', '1️⃣', '字'];

  test('are counted in graphemes, which are what a person calls characters (R42)', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...whole), { maxLength: 130 }), (parts) => {
        // Separated by spaces, so that no two parts combine into one grapheme.
        const text = parts.join(' ');
        const count = parts.length === 0 ? 0 : parts.length * 2 - 1;
        expect(countGraphemes(text)).toBe(count);
        const rules = rulesOf(writtenText({ max: 100, maxBytes: 100_000 }), text);
        expect(rules).toEqual(count <= 100 ? [] : ['too_long']);
      }),
    );
  });

  test('are counted the same where plain text is not segmented', () => {
    const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        expect(countGraphemes(text)).toBe([...segmenter.segment(text)].length);
      }),
    );
    expect(countGraphemes('a\r\nb\n')).toBe(4);
  });

  test('are counted in UTF-8 bytes as well, because one grapheme can have any number of bytes (R42)', () => {
    fc.assert(
      fc.property(trickyText, fc.integer({ min: 0, max: 80 }), (text, maxBytes) => {
        expect(countBytes(text)).toBe(Buffer.byteLength(text, 'utf8'));
        const result = writtenText({ max: 1000, maxBytes }).safeParse(text);
        if (result.success) expect(Buffer.byteLength(result.data)).toBeLessThanOrEqual(maxBytes);
      }),
    );
    const family = '👨‍👩‍👧‍👦';
    expect(countGraphemes(family.repeat(90))).toBeLessThanOrEqual(limits.bio);
    expect(rulesOf(bio, family.repeat(90))).toEqual(['too_long']);
  });

  test('allow exactly the maximum number of characters', () => {
    expect(rulesOf(bio, 'x'.repeat(limits.bio))).toEqual([]);
    expect(rulesOf(bio, 'x'.repeat(limits.bio + 1))).toEqual(['too_long']);
    expect(rulesOf(bio, 'ക'.repeat(limits.bio))).toEqual([]);
    expect(rulesOf(bio, 'x'.repeat(1_000_000))[0]).toBe('too_long');
  });

  test('apply after cleaning, so that removed characters do not count', () => {
    expect(rulesOf(bio, `${'\u200B'.repeat(500)}${'x'.repeat(limits.bio)}   \n\n`)).toEqual([]);
  });
});

describe('the check for unacceptable input', () => {
  const refused = [
    ...range(0x00, 0x1f).filter((char) => !'\t\n\r'.includes(char)),
    ...range(0x7f, 0x9f),
    ...range(0xfdd0, 0xfdef),
    ...Array.from({ length: 17 }, (_, plane) => [
      code(plane * 0x10000 + 0xfffe),
      code(plane * 0x10000 + 0xffff),
    ]).flat(),
  ];

  test('refuses NUL, the other controls and all 66 noncharacters in every position, without throwing (R43)', () => {
    expect(refused).toHaveLength(29 + 33 + 66);
    for (const char of refused) {
      for (const text of [char, `${char}a`, `a${char}`, `a${char}b`]) {
        expect(isUnacceptable(text), char.codePointAt(0)?.toString(16)).toBe(true);
        expect(rulesOf(bio, text)).toEqual(['unacceptable_characters']);
      }
    }
  });

  test('refuses a lone surrogate, also next to a complete pair', () => {
    for (const text of [
      '\uD800',
      '\uDFFF',
      'a\uD83D',
      '\uDE00a',
      '\uD83D\uD83D\uDE00',
      '\uD83D\uDE00\uDE00',
    ]) {
      expect(rulesOf(bio, text)).toEqual(['unacceptable_characters']);
    }
    expect(rulesOf(bio, '\uD83D\uDE00')).toEqual([]);
  });

  test('does not throw for any sequence of 16-bit units', () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 });
    fc.assert(
      fc.property(units, (codes) => {
        const text = String.fromCharCode(...codes);
        const result = bio.safeParse(text);
        if (result.success) expect(isUnacceptable(result.data)).toBe(false);
        else expect(rulesOf(bio, text)).not.toEqual([]);
        if (!text.isWellFormed()) expect(result.success).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('refuses values that are not strings and never converts them', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()), fc.object()),
        (value) => {
          expect(bio.safeParse(value).success).toBe(false);
        },
      ),
    );
  });
});

describe('cleaning', () => {
  test.each(Object.entries(corpus))('leaves %s unchanged', (_, text) => {
    const composed = text.normalize('NFC');
    expect(cleanText(text)).toBe(composed);
    expect(rulesOf(bio, text)).toEqual([]);
    expect(bio.parse(text)).toBe(composed);
  });

  test('is idempotent (R44)', () => {
    fc.assert(
      fc.property(trickyText, (text) => {
        const once = cleanText(text);
        expect(cleanText(once)).toBe(once);
        const line = cleanLine(text);
        expect(cleanLine(line)).toBe(line);
      }),
      { numRuns: 5000 },
    );
  });

  test('returns composed text with at most four combining marks in a row, also with joiners between them (R44)', () => {
    fc.assert(
      fc.property(trickyText, (text) => {
        const clean = cleanText(text);
        expect(clean).toBe(clean.normalize('NFC'));
        expect(clean).not.toMatch(/(?:[\p{Mn}\p{Me}][\u200C\u200D]?){5}/u);
      }),
      { numRuns: 5000 },
    );
    expect(cleanText('e\u0301')).toBe('é');
    expect(cleanText('e\u200B\u0301')).toBe('é');
    expect(countGraphemes(cleanText(`Z${'\u0300\u0301\u0302\u0303\u0304'.repeat(20)}`))).toBe(1);
    expect([...cleanText(`Z${'\u0334\u0335'.repeat(20)}`)]).toHaveLength(5);
    expect([...cleanText(`Z${'\u0334\u200D'.repeat(20)}`)].filter((char) => char === '\u0334')).toHaveLength(
      4,
    );
  });

  test('removes direction controls and zero-width characters in every position (R44)', () => {
    const hidden = [
      ...[
        '\u061C',
        '\u200E',
        '\u200F',
        ...range(0x202a, 0x202e),
        ...range(0x2066, 0x2069),
        ...range(0x206a, 0x206f),
      ],
      ...[
        '\u00AD',
        '\u034F',
        '\u180E',
        '\u200B',
        '\uFEFF',
        ...range(0x2060, 0x2065),
        '\u{1D173}',
        '\u{1BCA0}',
        '\u{E0FFF}',
      ],
    ];
    for (const char of hidden) {
      expect(cleanText(`a${char}b${char} ${char}c`), char.codePointAt(0)?.toString(16)).toBe('ab c');
      expect(cleanText(`${char}مرحبا${char}`)).toBe('مرحبا');
    }
    const survivors = new RegExp(`[${hidden.join('')}]`, 'u');
    fc.assert(
      fc.property(trickyText, (text) => {
        expect(cleanText(text)).not.toMatch(survivors);
      }),
    );
  });

  test('keeps a joiner only where it joins, and one of several in a row (R44)', () => {
    for (const joiner of ['\u200C', '\u200D']) {
      expect(cleanText(`a${joiner} b`)).toBe('a b');
      expect(cleanText(`${joiner}a${joiner}`)).toBe('a');
      expect(cleanText(`1${joiner}2`)).toBe('12');
      expect(cleanText(`.${joiner}.`)).toBe('..');
      expect(cleanText(`ی${joiner}${joiner}${joiner}ک`)).toBe(`ی${joiner}ک`);
    }
    expect(cleanText('👩\u200D\u200D❤️')).toBe('👩\u200D❤️');
  });

  test('keeps tag characters only in flags, so that they cannot hide a message', () => {
    const secret = [...'meet me'].map((char) => code(0xe0000 + char.charCodeAt(0))).join('');
    expect(cleanText(`hello${secret}`)).toBe('hello');
    expect(cleanText(`🏴${secret.repeat(10)}`)).toBe('🏴');
    expect(cleanText(`🏴\u{E0001}`)).toBe('🏴');
    const england = corpus['flags, those of England, Scotland and Wales among them']?.split(' ')[3] ?? '';
    expect(cleanText(`${england}${secret}`)).toBe(england);
  });

  test('turns every line ending into one newline, a tab into a space, and more than two newlines into two', () => {
    expect(cleanText('a\r\nb\rc\u2028d\u2029e')).toBe('a\nb\nc\nd\ne');
    expect(cleanText('a\tb')).toBe('a b');
    expect(cleanText('a\n\n\n\n\nb')).toBe('a\n\nb');
    expect(cleanText('a\r\n\r\n\r\n\r\nb')).toBe('a\n\nb');
    expect(cleanText('a\n \n\t\n\u00A0\n\u3000\nb')).toBe('a\n\nb');
    expect(cleanText('  \n a \n ')).toBe('a');
    fc.assert(
      fc.property(trickyText, (text) => {
        expect(cleanText(text)).not.toMatch(/\n{3}|[\r\t\u2028\u2029]|[^\S\n]\n/u);
      }),
    );
    fc.assert(
      fc.property(trickyText, (text) => {
        expect(cleanLine(text)).not.toMatch(/[\n\r\t]| {2}/u);
      }),
    );
  });

  test('escapes nothing, so that the stored text is the text that was sent (R45)', () => {
    const text = `<script>alert("1")</script> & &amp; ' \` \${x} %00 \\u0000 {{7*7}}`;
    expect(cleanText(text)).toBe(text);
  });

  test('takes linear time, also on input made to slow it down', () => {
    const heavy = [
      ' ',
      '\u0301',
      '\u200D',
      'a\u200D',
      '\n ',
      '\u{E0061}',
      '🏴',
      '🏴\u{E0061}',
      '\u202E',
      'e\u0301',
      '\u0CC6\u200D',
    ];
    /** The least processor time of several runs: other programs do not count, and a garbage collection is left out. */
    const costOf = (texts: readonly string[]) => {
      const costs = Array.from({ length: 3 }, () => {
        const before = process.cpuUsage();
        for (const text of texts) cleanText(text);
        const { user, system } = process.cpuUsage(before);
        return user + system;
      });
      return Math.min(...costs);
    };
    for (const piece of heavy) {
      const textOf = (chars: number) => `x${piece.repeat(Math.ceil(chars / piece.length))}x`;
      const parts = costOf(Array.from({ length: 16 }, () => textOf(4000)));
      // As many characters in one text. A quadratic algorithm takes 16 times as long.
      expect(costOf([textOf(64_000)]) / parts, JSON.stringify(piece)).toBeLessThan(5);
    }
  });
});

describe('invisible text', () => {
  test('counts as blank, whichever characters it consists of (R44)', () => {
    const nothing = [
      ...[
        '',
        ' ',
        '\t\r\n',
        '\u00A0',
        '\u2003',
        '\u3000',
        '\u200B',
        '\u200C',
        '\u200D',
        '\u2060',
        '\uFEFF',
        '\u00AD',
      ],
      ...[
        '\u115F',
        '\u1160',
        '\u3164',
        '\uFFA0',
        '\u2800',
        '\u180E',
        '\u17B4',
        '\uFE0F',
        '\u{E0100}',
        '\u{E0041}',
        '\u{1D159}',
      ],
      ...['\u202E \u2066', '\u3164\u200D\u3164', ' \u2800\n\uFE0F '],
    ];
    for (const text of nothing) {
      expect(isBlank(text), JSON.stringify(text)).toBe(true);
      expect(rulesOf(required, text), JSON.stringify(text)).toEqual(['required']);
      expect(bio.parse(text)).toBe('');
    }
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...nothing), { maxLength: 12 }), (parts) => {
        expect(rulesOf(required, parts.join(''))).toEqual(['required']);
      }),
    );
  });

  test('does not include real text of any script (R44)', () => {
    for (const text of [...Object.values(corpus), '.', '0', '👍', 'ﾠa']) expect(isBlank(text)).toBe(false);
  });
});
