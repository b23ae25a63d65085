/** Closed lists of the specification, in display order. */
export const emotions = ['Happy', 'Sad', 'Angry', 'Anxious', 'Neutral', 'Burnout'] as const;
export type Emotion = (typeof emotions)[number];

export const matchPreferences = ['Similar Emotions', 'Different Emotions', 'Balanced'] as const;
export type MatchPreference = (typeof matchPreferences)[number];
