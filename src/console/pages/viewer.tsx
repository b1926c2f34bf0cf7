import { type ComponentChildren, createContext } from 'preact'
import type { Right } from '../../base/roles.ts'

/** For whom a page is drawn. */
export interface Viewer {
  /** Absent: nobody is known, or nobody was asked. */
  name: string | undefined
  rights: ReadonlySet<Right>
  /** Stands in every form. */
  formToken: string
  /** There is a session, which can be ended. */
  hasSession: boolean
}

/** For whom the page around is drawn. */
export const ViewerContext = createContext<Viewer>({
  name: undefined,
  rights: new Set(),
  formToken: '',
  hasSession: false,
})

/** What only those with a right see: for all others there is nothing to press. */
export function Allowed({ to, children }: { to: Right; children: ComponentChildren }) {
  return <ViewerContext.Consumer>{({ rights }) => (rights.has(to) ? children : null)}</ViewerContext.Consumer>
}

/** Shows, in a form, that it is of a page that was drawn for who sends it. */
export function FormToken() {
  return (
    <ViewerContext.Consumer>
      {({ formToken }) => <input type="hidden" name="token" value={formToken} />}
    </ViewerContext.Consumer>
  )
}
