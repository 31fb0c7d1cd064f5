import { DIGESTS, type Verdict, verdict } from "@service-nb/records";

/**
 * The verdict of a card once a text that it does not hold was loaded: what was open for want of that text is decided by
 * the same check with it. All else stays as it was found.
 */
export function withLoaded(found: Verdict, loaded: Verdict | undefined): Verdict {
  if (loaded === undefined) return found;
  const checks = found.checks.map((check) => {
    const isOpen = check.status === "not_checkable" && (check.check === "shown" || Object.hasOwn(DIGESTS, check.check));
    return (isOpen ? loaded.checks.find(({ check: name }) => name === check.check) : undefined) ?? check;
  });
  return verdict(found.subject, checks);
}
