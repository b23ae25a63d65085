/** What the privacy page shows in the words of the law: a catalogue of its own, which Hinglish does not have. */
export { ResidualRisks } from './residual-risks.tsx';
export { RetentionTable } from './retention-table.tsx';
