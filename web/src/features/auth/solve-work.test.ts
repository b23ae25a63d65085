import { describe, expect, it } from 'vitest';
import { ApiError } from '../../lib/api-client.ts';
import { withWork } from './solve-work.ts';

const refused = (code: string, status: number) => new ApiError({ kind: 'answer', status, code });

/** Fails with each of these in turn, then answers. */
function callThatFails(...failures: ApiError[]) {
  const sent: (string | undefined)[] = [];
  return {
    sent,
    call: async (pow?: string) => {
      sent.push(pow);
      const failure = failures.shift();
      if (failure) throw failure;
      return 'answer';
    },
  };
}

describe('a call that may cost work', () => {
  it('is made once where nothing is asked for', async () => {
    const { call, sent } = callThatFails();
    await expect(withWork(call)).resolves.toBe('answer');
    expect(sent).toEqual([undefined]);
  });

  it('is made again without work that came too late', async () => {
    const { call, sent } = callThatFails(refused('POW_INVALID', 403));
    await expect(withWork(call)).resolves.toBe('answer');
    expect(sent).toEqual([undefined, undefined]);
  });

  it('gives up at last, and at once on anything else', async () => {
    const stubborn = callThatFails(...Array.from({ length: 9 }, () => refused('POW_INVALID', 403)));
    await expect(withWork(stubborn.call)).rejects.toMatchObject({ code: 'POW_INVALID' });
    expect(stubborn.sent).toHaveLength(4);
    const limited = callThatFails(refused('OTP_RATE_LIMITED', 429));
    await expect(withWork(limited.call)).rejects.toMatchObject({ code: 'OTP_RATE_LIMITED' });
    expect(limited.sent).toHaveLength(1);
  });
});
