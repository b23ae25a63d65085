import { describe, expect, it } from 'vitest';
import { ApiError } from '../../lib/api-client.ts';
import { withProofOfWork } from './proof-of-work.ts';

const refused = (code: string, status: number) => new ApiError({ kind: 'response', status, code });

/** A call that fails with each of these errors in turn, then succeeds. */
function callThatFails(...failures: ApiError[]) {
  const sent: (string | undefined)[] = [];
  return {
    sent,
    call: async (pow?: string) => {
      sent.push(pow);
      const failure = failures.shift();
      if (failure) throw failure;
      return 'done';
    },
  };
}

describe('a call with optional proof of work', () => {
  it('is made once when the server requires none', async () => {
    const { call, sent } = callThatFails();
    await expect(withProofOfWork(call)).resolves.toBe('done');
    expect(sent).toEqual([undefined]);
  });

  it('is retried without a solution when the solution has expired', async () => {
    const { call, sent } = callThatFails(refused('POW_INVALID', 403));
    await expect(withProofOfWork(call)).resolves.toBe('done');
    expect(sent).toEqual([undefined, undefined]);
  });

  it('fails after three retries, and at once on any other error', async () => {
    const stubborn = callThatFails(...Array.from({ length: 9 }, () => refused('POW_INVALID', 403)));
    await expect(withProofOfWork(stubborn.call)).rejects.toMatchObject({ code: 'POW_INVALID' });
    expect(stubborn.sent).toHaveLength(4);
    const limited = callThatFails(refused('OTP_RATE_LIMITED', 429));
    await expect(withProofOfWork(limited.call)).rejects.toMatchObject({ code: 'OTP_RATE_LIMITED' });
    expect(limited.sent).toHaveLength(1);
  });
});
