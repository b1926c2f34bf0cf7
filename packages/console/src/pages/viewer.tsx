import { type ComponentChildren, createContext } from 'preact'
import type { Right } from '@pawl/base/roles'

/** The person who sees a page. */
export interface Viewer {
  /** Absent: not authenticated, or without authentication. */
  name: string | undefined
  rights: ReadonlySet<Right>
  /** Token of every form. */
  formToken: string
  /** Whether a session exists, which can be ended. */
  hasSession: boolean
}

/** The viewer of the surrounding page. */
export const ViewerContext = createContext<Viewer>({
  name: undefined,
  rights: new Set(),
  formToken: '',
  hasSession: false,
})

interface AllowedProps {
  to: Right
  children: ComponentChildren
  /** Shown to viewers without the right. */
  otherwise?: ComponentChildren
}

/** Renders its children only for viewers with a right. */
export function Allowed({ to, children, otherwise = null }: AllowedProps) {
  return <ViewerContext.Consumer>{({ rights }) => (rights.has(to) ? children : otherwise)}</ViewerContext.Consumer>
}

/** Form field that proves that the page was rendered for its sender. */
export function FormToken() {
  return (
    <ViewerContext.Consumer>
      {({ formToken }) => <input type="hidden" name="token" value={formToken} />}
    </ViewerContext.Consumer>
  )
}
