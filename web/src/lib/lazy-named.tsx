import { lazy, type ComponentType, type ReactNode } from 'react';
import { createStore } from './store.ts';

type PropsOf<C> = C extends (props: infer P) => ReactNode ? P : never;

/** Forget the parts that failed to load: `React.lazy` would keep the failure until a reload. */
const failed = new Set<() => void>();
/** How often they were forgotten. Parts on screen follow it. */
const attempt = createStore(0);

/** After a lost connection. Not at once after a failure: React renders again then, and would load for ever. */
export function retryFailedParts(): void {
  if (failed.size === 0) return;
  for (const forget of failed) forget();
  failed.clear();
  attempt.set(attempt.get() + 1);
}

window.addEventListener('online', retryFailedParts);

const nothing = () => null;

interface LazyOptions {
  /** The page works without it: a failure shows nothing in its place. */
  readonly isOptional?: boolean;
}

/** `React.lazy`, which loads again after a failure. */
export function lazyPart<Props>(
  load: () => Promise<ComponentType<Props>>,
  { isOptional = false }: LazyOptions = {},
): ComponentType<Props> {
  const loadPart = async (): Promise<{ default: ComponentType<Props> }> => {
    try {
      return { default: await load() };
    } catch (error) {
      failed.add(() => (Part = lazy(loadPart) as ComponentType<Props>));
      if (isOptional) return { default: nothing };
      throw error;
    }
  };
  let Part = lazy(loadPart) as ComponentType<Props>;
  return function LazyPart(props: Props & object) {
    attempt.useValue();
    return <Part {...props} />;
  } as ComponentType<Props>;
}

/** The same for a named export. */
export function lazyNamed<M, Name extends keyof M>(
  load: () => Promise<M>,
  name: Name,
  options?: LazyOptions,
): ComponentType<PropsOf<M[Name]>> {
  return lazyPart(async () => (await load())[name] as ComponentType<PropsOf<M[Name]>>, options);
}
