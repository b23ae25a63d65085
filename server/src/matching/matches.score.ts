import type { MatchPreference } from '@unsaid/contract';
import { noFeelings, preferenceFit, similarity } from './emotion-space.ts';

/** One score for both people of a pair. Pure: it depends only on what the two say about themselves. */

export interface Matchable {
  /** The feelings they name, as a bit mask. */
  readonly feelings: number;
  /** Named over 30 days ago. */
  readonly isStale: boolean;
  /** Interests and likes, normalized. */
  readonly likes: ReadonlySet<string>;
  readonly dislikes: ReadonlySet<string>;
  readonly preference: MatchPreference | null;
}

const weights = { feelings: 0.65, profile: 0.35 } as const;
/** The value where there is no data: a newcomer ranks neither first nor last. */
const prior = { feelings: 0.5, profile: 0.3 } as const;
/** How many interests weigh as much as the prior. */
const priorStrength = 2;
const dislikePenalty = 0.25;

/** Bayesian shrinkage: pulls a value from few observations towards the prior. */
function shrink(observed: number, observations: number, towards: number): number {
  const confidence = observations / (observations + priorStrength);
  return confidence * observed + (1 - confidence) * towards;
}

/** Confidence in their feelings: 0 where either names none, half where either named them long ago. */
function feelingsConfidence(u: Matchable, v: Matchable): number {
  if (u.feelings === noFeelings || v.feelings === noFeelings) return 0;
  return u.isStale || v.isStale ? 0.5 : 1;
}

/** The symmetric part of the score, computed once for both directions. */
interface Comparison {
  readonly similarity: number;
  readonly confidence: number;
  readonly likes: number;
}

function compare(u: Matchable, v: Matchable): Comparison {
  const confidence = feelingsConfidence(u, v);
  return {
    similarity: confidence > 0 ? similarity(u.feelings, v.feelings) : 0,
    confidence,
    likes: shrink(overlap(u.likes, v.likes), Math.min(u.likes.size, v.likes.size), prior.profile),
  };
}

/** What v is worth to u, 0 to 1. */
function utility(u: Matchable, v: Matchable, { similarity, confidence, likes }: Comparison): number {
  return (
    weights.feelings *
      (confidence * preferenceFit(u.preference, similarity) + (1 - confidence) * prior.feelings) +
    weights.profile * Math.max(0, likes - dislikePenalty * countShared(u.dislikes, v.likes))
  );
}

/** 0 to 1: the harmonic mean of both utilities, so that good for one and bad for the other scores low. */
export function scorePair(u: Matchable, v: Matchable): number {
  const comparison = compare(u, v);
  const [toU, toV] = [utility(u, v, comparison), utility(v, u, comparison)];
  return toU + toV === 0 ? 0 : (2 * toU * toV) / (toU + toV);
}

/** The score as stored and shown, in steps of .05: an exact number could be solved for its inputs. */
export function roundScore(exact: number): number {
  return Math.round(exact * 20) / 20;
}

/** The score without reciprocity, a baseline of the simulation in bench/. */
export function oneSidedScore(u: Matchable, v: Matchable): number {
  return utility(u, v, compare(u, v));
}

function countShared<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): number {
  let count = 0;
  for (const item of one) if (other.has(item)) count += 1;
  return count;
}

/** Cosine similarity of two sets, so that a long list is no disadvantage. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  return countShared(one, other) / Math.sqrt(one.size * other.size);
}
