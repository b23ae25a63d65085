import { findAcross, findIdentity, textOf, type Written } from '@unsaid/guard/identity';
import { AppError } from './errors.ts';
import type { Metrics } from './metrics.ts';

/** Free text by the name of its field. */
type WrittenFields = Readonly<Record<string, Written | undefined>>;

/**
 * Throws if a text has something in it that leads to a person. The first thing a write does: a refused text is neither
 * stored nor logged, takes no slot, and leaves its idempotency key free for the corrected one. The response has field
 * and rule, never the text. Links and handles are refused only with `isSure: false`.
 */
export function refuseIdentity(metrics: Metrics, fields: WrittenFields, isSure: boolean | undefined): void {
  const found = Object.entries(fields).flatMap(([path, written = '']) => {
    const findings = findIdentity(textOf(written)).filter(({ isRefused }) => isRefused || isSure === false);
    return [...new Set(findings.map(({ rule }) => rule))].map((rule) => ({ path, rule }));
  });
  const across = findAcross(fields);
  if (found.length === 0 && across) found.push({ path: 'text', rule: across });
  if (found.length === 0) return;
  for (const rule of new Set(found.map((one) => one.rule))) metrics.guardRefusals.inc({ rule });
  throw new AppError('IDENTIFYING_DETAILS', { fields: found });
}
