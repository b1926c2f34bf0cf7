import { z } from 'zod'
import { parseJson } from '../../../parse-json.ts'

const Outcome = z.looseObject({ issue: z.array(z.looseObject({ code: z.string() })) })

/** The issue types of FHIR R4 (value set issue-type). */
const known: ReadonlySet<string> = new Set(
  `invalid structure required value invariant security login unknown expired forbidden suppressed processing
   not-supported duplicate multiple-matches not-found deleted too-long code-invalid extension too-costly
   business-rule conflict transient lock-error no-store exception timeout incomplete throttled informational`.split(
    /\s+/,
  ),
)

/** The codes of an OperationOutcome, each once, and nothing else of it: its texts may quote the patient's data. */
export function issueCodes(body: string): string[] {
  const codes = Outcome.safeParse(parseJson(body)).data?.issue.map(({ code }) => code) ?? []
  return [...new Set(codes.filter((code) => known.has(code)))]
}
