import { UnconfirmedCommit } from './confirmed-pool.ts';

export function errorCodeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** True if the statement violated the unique constraint or index of this name. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return errorCodeOf(error) === '23505' && (error as { constraint?: unknown }).constraint === constraint;
}

/** A statement gave up waiting for a lock, or ran into its own time limit. */
export const isTimeout = (error: unknown): boolean => ['55P03', '57014'].includes(errorCodeOf(error));

/**
 * True if the login, its schema or a right is gone, or a pooler lost a prepared statement. Our statements are tested, so
 * this is the operator's fault and not the caller's.
 */
export const isSchemaLost = (error: unknown): boolean =>
  /^(?:28...|3D000|3F000|42P01|42501|42883|26000|42P05)$/u.test(errorCodeOf(error));

/** True if the database is unreachable or overloaded; false if the statement itself is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof UnconfirmedCommit) return true;
  const code = errorCodeOf(error);
  return (
    /^(?:08|53|57P)/u.test(code) ||
    code === '57014' || // statement timeout
    code === '25006' || // read-only: a standby that has not been promoted yet
    // The last two: its name does not resolve, as while compose's postgres is away.
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN'].includes(code) ||
    /timeout (?:exceeded when trying to connect|expired)|Connection terminated|Query read timeout|not queryable/u.test(
      error.message,
    )
  );
}
