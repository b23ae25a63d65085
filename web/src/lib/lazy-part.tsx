import { t } from '@lingui/core/macro';
import { lazy, useState, type ComponentType, type ReactNode } from 'react';
import { loadMessages, type LazyCatalogue } from '../locales/i18n.ts';
import { toast } from '../ui/toast.tsx';
import { afterFirstContent } from './app-ready.ts';
import { checkRelease } from './release.ts';
import { createStore } from './store.ts';

/** The build reads these from the source (scripts/delivery.ts): literals and `paths` only. */
interface Delivery {
  /** Has the words of everything that only parts with this catalogue show. */
  readonly catalogue?: LazyCatalogue | readonly LazyCatalogue[];
  /** The page that shows it at first: index.html preloads it there. */
  readonly route?: string;
  /** Needed without a connection: cached when the service worker is installed. All others are cached after that. */
  readonly offline?: true;
  /** Loaded after the first content, by whoever is shown the page. */
  readonly isLate?: true;
  /** Loaded with it. */
  readonly also?: readonly LazyPart<unknown>[];
}

type PropsOf<C> = C extends (props: infer P) => ReactNode ? P : never;

export interface LazyPart<M> extends Delivery {
  /** Undefined until it is loaded. */
  readonly get: () => M | undefined;
  readonly use: () => M | undefined;
  readonly useIsLoading: () => boolean;
  /** With its words. After a failure, the next call tries again. */
  readonly load: () => Promise<M>;
  /** Loads it for later, if it can. */
  readonly prepare: () => void;
  /** For a press: shows it once it is loaded. Says so if that fails, and the next press tries again. */
  readonly show: (open: (module: M) => void) => void;
  /** A component, inside a Suspense boundary. With `isOptional`, the page works without it: a failure shows nothing. */
  readonly as: <Name extends keyof M>(
    name: Name,
    options?: { readonly isOptional?: boolean },
  ) => ComponentType<PropsOf<M[Name]>>;
}

/** Forget the components that failed to load: `React.lazy` would keep the failure until a reload. */
const failed = new Set<() => void>();
/** How often they were forgotten. Components on screen follow it. */
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

/** Code that is loaded when it is needed, and how it gets there. It outlives a session: it holds nothing of a person. */
export function lazyPart<M>(importModule: () => Promise<M>, delivery: Delivery = {}): LazyPart<M> {
  const state = createStore<{ readonly module?: M; readonly isLoading: boolean }>({ isLoading: false });
  let loading: Promise<M> | undefined;
  const start = async (): Promise<M> => {
    state.set({ isLoading: true });
    try {
      if (delivery.isLate) await afterFirstContent();
      const [module] = await Promise.all([
        importModule(),
        ...[delivery.catalogue ?? []].flat().map((name) => loadMessages(name)),
        ...(delivery.also ?? []).map((part) => part.load()),
      ]);
      state.set({ module, isLoading: false });
      return module;
    } catch (error) {
      loading = undefined;
      state.set({ isLoading: false });
      void checkRelease();
      throw error;
    }
  };
  const load = (): Promise<M> => (loading ??= start());
  const get = () => state.get().module;
  return {
    ...delivery,
    get,
    load,
    use: () => state.useValue(({ module }) => module),
    useIsLoading: () => state.useValue(({ isLoading }) => isLoading),
    prepare: () => void load().catch(() => undefined),
    show(open) {
      const module = get();
      // In the same task: a dialog then opens in the frame of the press.
      if (module) open(module);
      else load().then(open, () => toast(t`That didn't work. Try again.`));
    },
    as<Name extends keyof M>(name: Name, { isOptional = false } = {}) {
      type Props = PropsOf<M[Name]>;
      const loadComponent = async (): Promise<{ default: ComponentType<Props> }> => {
        try {
          return { default: (await load())[name] as ComponentType<Props> };
        } catch (error) {
          failed.add(() => (Component = lazy(loadComponent) as ComponentType<Props>));
          if (isOptional) return { default: nothing };
          throw error;
        }
      };
      let Component = lazy(loadComponent) as ComponentType<Props>;
      return function Part(props: Props & object) {
        attempt.useValue();
        // Without a frame of the fallback, where it is loaded already.
        const [Loaded] = useState(() => get()?.[name] as ComponentType<Props> | undefined);
        return Loaded ? <Loaded {...props} /> : <Component {...props} />;
      } as ComponentType<Props>;
    },
  };
}
