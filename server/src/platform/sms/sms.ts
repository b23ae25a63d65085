/** The port to an SMS provider, which gets a number and a text. */
export interface SmsProvider {
  readonly name: string;
  /** Does not throw; failures are outcomes. */
  send(message: SmsMessage): Promise<SmsOutcome>;
}

/**
 * - `accepted`: the provider has the message.
 * - `refused`: it does not have it, and does not accept this message.
 * - `unavailable`: it does not have it, and accepts no message at the moment.
 * - `unknown`: it may have it. A retry may send the message twice.
 */
export type SmsOutcome = 'accepted' | 'refused' | 'unavailable' | 'unknown';

export interface SmsMessage {
  /** E.164. In memory only, from the request to the provider. */
  readonly to: string;
  readonly code: string;
  /** What it is for, as the text says it. */
  readonly use: string;
  readonly text: string;
}
