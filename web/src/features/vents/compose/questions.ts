import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { dayMs } from '@unsaid/contract';

/** Writing prompts, one a day. Short, open, not about illness, and without a wrong answer. */
const questions: readonly MessageDescriptor[] = [
  msg`What didn't you say today?`,
  msg`What has been sitting on your chest?`,
  msg`What are you tired of explaining?`,
  msg`If you could tell anyone, who would you tell?`,
  msg`What made today heavier than it looked?`,
  msg`What was one small good thing today?`,
  msg`What do you keep thinking about at night?`,
  msg`What did you pretend was fine?`,
  msg`What do you miss?`,
  msg`What do you wish someone would ask you?`,
  msg`Where did you feel like yourself lately?`,
  msg`What are you carrying for someone else?`,
  msg`What did you want to say back, but didn't?`,
  msg`What are you waiting for?`,
  msg`What feels unfair?`,
  msg`What would you say if nobody got hurt?`,
  msg`What did you let go of?`,
  msg`What do people get wrong about you?`,
  msg`When did you last laugh, and about what?`,
  msg`What are you afraid to want?`,
  msg`What was too loud today?`,
  msg`What was too quiet?`,
  msg`What do you wish you had known a year ago?`,
  msg`What's nobody noticing?`,
  msg`Who were you kind to, and was anyone kind to you?`,
  msg`What can wait until tomorrow?`,
  msg`What would help, even a little?`,
  msg`What did you do only because you had to?`,
  msg`Which words are still in your head?`,
  msg`What are you sorry for?`,
  msg`What are you not sorry for?`,
  msg`What would you write and never send?`,
  msg`What does home feel like right now?`,
  msg`What changed, and nobody asked you?`,
  msg`What would you like to hear tonight?`,
  msg`What are you proud of but haven't told anyone?`,
];

/** The day changes at midnight in India, so that all readers see the same question. */
const indiaMs = 5.5 * 60 * 60 * 1000;

export function questionOfTheDay(now: number): MessageDescriptor {
  const day = Math.floor((now + indiaMs) / dayMs);
  return questions[day % questions.length] as MessageDescriptor;
}

export const questionCount = questions.length;
