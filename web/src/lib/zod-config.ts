import { config } from 'zod/mini';

// Before any schema is made: zod's probe for eval would break the page's content security policy.
config({ jitless: true });
