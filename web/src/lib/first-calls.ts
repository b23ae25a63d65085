/**
 * The first calls of a page. boot.js sends them beside the application instead of after it; delivery-plugin.ts lists them
 * by page. Here the API client takes each over, in place of the same call of its own.
 */
interface FirstCalls {
  readonly token: string;
  /** By address. */
  readonly calls: Map<string, { readonly sent: Promise<Response>; readonly abort: () => void }>;
}

const holder = window as { unsaidFirst?: FirstCalls };
const first = holder.unsaidFirst;
// On no global any longer than until here.
delete holder.unsaidFirst;

/**
 * The response to a call that boot.js sent, to one taker. Undefined if it sent none, or with another token: another tab may
 * have signed out since, or in.
 */
export function takeFirstCall(
  address: string,
  token: string | null,
  signal: AbortSignal,
): Promise<Response> | undefined {
  if (first?.token !== token) {
    dropFirstCalls();
    return undefined;
  }
  const call = first?.calls.get(address);
  if (!call) return undefined;
  first?.calls.delete(address);
  if (signal.aborted) call.abort();
  signal.addEventListener('abort', call.abort, { once: true });
  return call.sent;
}

/** Those that the page did not need after all: the account is suspended, or another tab has changed the inbox. */
export function dropFirstCalls(): void {
  for (const { abort } of first?.calls.values() ?? []) abort();
  first?.calls.clear();
}
