import { z } from 'zod'
import { parseJson } from '@pawl/base/parse-json'
import type { Verdict } from '@pawl/connector/exchange'

const Outcome = z.looseObject({
  resourceType: z.literal('OperationOutcome').optional(),
  issue: z.array(z.looseObject({ code: z.string(), severity: z.unknown().optional() })),
})
const Bundle = z.looseObject({ entry: z.array(z.looseObject({ resource: z.unknown() })) })

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** The issue types of FHIR R4 (value set issue-type), grouped by verdict. */
const ofRights = wordsOf('security login unknown expired forbidden suppressed')
const passing = wordsOf('transient lock-error no-store exception timeout incomplete throttled')
const others = wordsOf(
  `invalid structure required value invariant processing not-supported duplicate multiple-matches not-found deleted
   too-long code-invalid extension too-costly business-rule conflict informational`,
)

interface Issue {
  code: string
  severity?: unknown
}

/** The codes of an answer's OperationOutcomes, each once. Their texts are left out, since they may quote patient data. */
export function issueCodes(body: string): string[] {
  return knownCodes(issuesIn(body))
}

/** The verdict on a 2xx answer that still failed: an OperationOutcome with an issue of severity `error` or `fatal`, or a Bundle that holds one (FHIR R4, 3.1.0.1.5). */
export function failureIn(status: number, body: string): Verdict | undefined {
  const issues = issuesIn(body).filter(({ severity }) => severity === 'error' || severity === 'fatal')
  if (issues.length === 0) return undefined
  const codes = knownCodes(issues)
  const mayPass = codes.length === 0 || codes.some((code) => passing.has(code))
  return {
    reason: `HTTP ${status} with an OperationOutcome that reports an error`,
    retry: mayPass ? 'backoff' : 'never',
    isOutage: false,
    mayBeOutage: !mayPass && codes.some((code) => ofRights.has(code)),
  }
}

/** The issues of the body itself and of a Bundle's entries. */
function issuesIn(body: string): Issue[] {
  // Most answers have none: skip parsing.
  if (!body.includes('"issue"')) return []
  const json = parseJson(body)
  const held = Bundle.safeParse(json).data?.entry.map(({ resource }) => resource) ?? []
  return [json, ...held].flatMap((each) => Outcome.safeParse(each).data?.issue ?? [])
}

function knownCodes(issues: readonly Issue[]): string[] {
  const codes = issues.map(({ code }) => code)
  return [...new Set(codes.filter((code) => ofRights.has(code) || passing.has(code) || others.has(code)))]
}
