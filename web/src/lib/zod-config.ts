import { config } from 'zod/mini';

// Must run before any schema is created: zod's probe for `eval` violates the content security policy.
config({ jitless: true });
