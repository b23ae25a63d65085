/** The quickest of several runs in milliseconds: the least disturbed by the rest of the machine. For a bench only. */
export function quickest(scan: (text: string) => unknown, text: string, runs: number): number {
  let best = Infinity;
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    scan(text);
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

/** How many times the steps of a scan grow when the text is twice as long: a figure that no machine can disturb. */
export function growthOf(
  scan: (text: string) => unknown,
  work: { readonly steps: number },
  part: string,
): number {
  const stepsFor = (length: number) => {
    const before = work.steps;
    scan(repeatTo(part, length));
    return work.steps - before;
  };
  return stepsFor(20_000) / stepsFor(10_000);
}

/** Texts that make a careless matcher slow: endless starts of phrases, spaces, marks, one word, one sentence. */
export const hostileTexts: Readonly<Record<string, string>> = {
  'starts of English phrases': 'i want to i dont want to just really ',
  'a near miss again and again': 'dont want to be so really kill ',
  'whole English phrases': 'i want to kill myself tonight ',
  'starts of Hinglish phrases': 'main mar hi mujhe sab khatam kar ',
  'whole Hindi phrases': 'मैं मर जाना चाहता हूँ ',
  'people in one sentence': 'my friend said he told her brother ',
  'pills in one sentence': 'how many pills to take all of them ',
  'another in every phrase': 'my friend wants to die i want to die she ',
  'an excuse after every phrase': 'kys mar ja kys dont ',
  'short sentences': 'i die. ',
  spaces: ' ',
  'one long word': 'mara',
  'combining marks': 'a\u0301\u0316\u093C\u0902',
  faces: '😂 💀 ',
  quotes: '"kys" “mar ja” ',
};

export const repeatTo = (part: string, length: number): string =>
  part.repeat(Math.ceil(length / part.length)).slice(0, length);
