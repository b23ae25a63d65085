import fc from 'fast-check';
import { seed } from './runs.ts';

/** Loaded before each test file: a property that sets no seed of its own has that of the commit. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
