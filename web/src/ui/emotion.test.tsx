import { readFileSync } from 'node:fs';
import { emotions } from '@unsaid/contract';
import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { EmotionChip, emotionIcons } from './emotion.tsx';

test('each of the six has an icon and a colour of its own, and says its name (S3.16)', () => {
  expect(emotions).toEqual(['Happy', 'Sad', 'Angry', 'Anxious', 'Neutral', 'Burnout']);
  expect(new Set(emotions.map((emotion) => emotionIcons[emotion])).size).toBe(6);
  const tokens = readFileSync(`${import.meta.dirname}/tokens.css`, 'utf8');
  const colours = emotions.map((emotion) =>
    [...tokens.matchAll(new RegExp(`--${emotion.toLowerCase()}: (#[0-9a-f]{6});`, 'gu'))].map(
      ([, colour]) => colour,
    ),
  );
  // One colour for each scheme, each different from all others.
  for (const found of colours) expect(found).toHaveLength(2);
  expect(new Set(colours.flat()).size).toBe(12);
  for (const emotion of emotions) {
    render(<EmotionChip emotion={emotion} />);
    expect(screen.getByText(emotion).querySelector('path')?.getAttribute('d')).toBe(emotionIcons[emotion]);
  }
});
