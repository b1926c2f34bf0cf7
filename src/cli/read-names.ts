import { InvalidArgumentError } from 'commander'
import { readResourceName, resourceNameForm } from '../service/events/resource-name.ts'

/** Appends the id of a resource to a list. Throws `InvalidArgumentError` for an invalid id. */
export function readNames(name: string, others: string[] = []): string[] {
  if (readResourceName(name) === undefined) throw new InvalidArgumentError(`It is ${resourceNameForm}.`)
  return [...others, name]
}
