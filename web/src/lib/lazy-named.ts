import { lazy, type ComponentType, type ReactNode } from 'react';

type PropsOf<C> = C extends (props: infer P) => ReactNode ? P : never;

/** `React.lazy` for a named export. */
export function lazyNamed<M, Name extends keyof M>(load: () => Promise<M>, name: Name) {
  return lazy(async () => ({ default: (await load())[name] as ComponentType<PropsOf<M[Name]>> }));
}
