/** The one way out for messages. A provider gets a number and a text, and keeps neither for us. */
export interface SmsProvider {
  readonly name: string;
  /** Does not throw: what became of it is the answer. */
  send(message: SmsMessage): Promise<SmsOutcome>;
}

/**
 * - `accepted`: the provider has it.
 * - `refused`: it has not, and will not take this message.
 * - `unavailable`: it has not, and cannot take any at the moment.
 * - `unknown`: it may have it. Whoever sends it again may send it twice.
 */
export type SmsOutcome = 'accepted' | 'refused' | 'unavailable' | 'unknown';

export interface SmsMessage {
  /** E.164. Lives in memory only, from the request to the provider. */
  readonly to: string;
  readonly code: string;
  readonly text: string;
}
