import { InvalidArgumentError } from 'commander'
import { readResourceName, resourceNameForm } from '../service/events/resource-name.ts'

/** Adds the name of a resource to others. Throws `InvalidArgumentError` where it is none. */
export function readNames(name: string, others: string[] = []): string[] {
  if (readResourceName(name) === undefined) throw new InvalidArgumentError(`It is ${resourceNameForm}.`)
  return [...others, name]
}
