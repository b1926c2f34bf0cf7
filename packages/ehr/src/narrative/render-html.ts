import type { Narrative } from './narrative.ts'
import { headAndBody } from './render-xhtml.ts'

/** A narrative as a self-contained HTML document, for screen and paper. */
export function renderHtml(narrative: Narrative): string {
  return `<!DOCTYPE html>
<html lang="en">
${headAndBody(narrative)}
</html>
`
}
