"""Simulations of processes in time: walks, queues, epidemics, branching, games and arrivals."""

from __future__ import annotations

from typing import Any

import numpy as np

from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import LimitError
from service_nb_kernels.packs.simulation.finance import total
from service_nb_kernels.seeded.words import Integers, Words

BLOCK = 4096
LARGEST_GENERATION = 10_000_000


@capability(
    "simulation.random_walk",
    tier="seeded",
    source="feller1968, ch. III",
    params={
        "steps": P("int", domain="[1, 1000000]", about="number of steps", symbol="n"),
        "probability": P(domain="[0, 1]", about="probability of a step up", symbol="p"),
    },
    result=R("int[]", about="position at the start and after each step"),
    latex=r"X_{k+1} = X_k \pm 1",
    cases=[
        case(steps=3, probability=1.0, seed=7, result=[0, 1, 2, 3], origin="by hand: always up"),
        case(steps=3, probability=0.0, seed=7, result=[0, -1, -2, -3], origin="by hand: always down"),
        case(
            steps=8,
            probability=0.5,
            seed=0,
            result=[0, -1, 0, 1, 2, 1, 0, -1, -2],
            origin="numpy 2.4.6, numpy.random.PCG64(0).random_raw(8): top bit",
        ),
    ],
)
def random_walk(steps: int, probability: float, *, words: Words) -> Integers:
    """Positions of a walk that goes up or down by one at each step."""
    moves = np.where(words.happens(probability, steps), 1, -1).astype(np.int64)
    path: Integers = np.add.accumulate(np.concatenate([np.zeros(1, np.int64), moves]))
    return path


@capability(
    "simulation.mm1_queue",
    tier="seeded",
    source="kleinrock1975, ch. 3",
    params={
        "arrival_rate": P(
            unit="1/s", domain="(0, inf)", about="mean number of arrivals in a unit of time", symbol="\\lambda"
        ),
        "service_rate": P(
            unit="1/s", domain="(0, inf)", about="mean number served in a unit of busy time", symbol="\\mu"
        ),
        "customers": P(
            "int", domain="[1, 2000000]", about="number of customers, the first finding the queue empty", symbol="N"
        ),
    },
    result=R(
        fields={
            "mean_wait": R(unit="s", about="mean time in the queue before service"),
            "mean_time": R(unit="s", about="mean time in the system"),
            "longest_wait": R(unit="s", about="longest time in the queue"),
            "utilisation": R(about="part of the time until the last departure in which the server was busy"),
        }
    ),
    latex=r"W_{k+1} = \max(W_k + S_k - A_{k+1}, 0)",
    keywords=["queueing", "waiting time", "Lindley recursion"],
    cases=[
        case(
            arrival_rate=1.0,
            service_rate=2.0,
            customers=300_000,
            seed=11,
            result={"mean_wait": 0.5, "mean_time": 1.0, "longest_wait": 12.0, "utilisation": 0.5},
            within=0.3,
            origin="kleinrock1975, ch. 3: rho / (mu - lambda), 1 / (mu - lambda), rho",
        ),
        case(
            arrival_rate=0.6,
            service_rate=1.0,
            customers=300_000,
            seed=12,
            result={"mean_wait": 1.5, "mean_time": 2.5, "longest_wait": 30.0, "utilisation": 0.6},
            within=0.3,
            origin="kleinrock1975, ch. 3: rho / (mu - lambda), 1 / (mu - lambda), rho",
        ),
    ],
)
def mm1_queue(arrival_rate: float, service_rate: float, customers: int, *, words: Words) -> dict[str, float]:
    """Waiting in a simulated queue of one server with random arrivals and exponential service (Lindley's recursion)."""
    gaps = (words.exponential(customers) / arrival_rate).tolist()
    services = (words.exponential(customers) / service_rate).tolist()
    wait, waits = 0.0, [0.0]
    for service, gap in zip(services, gaps[1:], strict=False):
        wait = max(wait + service - gap, 0.0)
        waits.append(wait)
    busy = total(services)
    end = total(gaps) + waits[-1] + services[-1]
    mean_wait = total(waits) / customers
    return {
        "mean_wait": mean_wait,
        "mean_time": mean_wait + busy / customers,
        "longest_wait": max(waits),
        "utilisation": busy / end,
    }


@capability(
    "simulation.sir_epidemic",
    tier="seeded",
    source="gillespie1977",
    params={
        "susceptible": P("int", domain="[0, 1000000]", about="people who can be infected at the start", symbol="S_0"),
        "infected": P("int", domain="[1, 1000000]", about="people who are infected at the start", symbol="I_0"),
        "infection_rate": P(
            unit="1/d",
            domain="[0, inf)",
            about="contacts that infect, of an infected person in a unit of time",
            symbol="\\beta",
        ),
        "recovery_rate": P(
            unit="1/d", domain="(0, inf)", about="recoveries of an infected person in a unit of time", symbol="\\gamma"
        ),
    },
    result=R(
        fields={
            "ever_infected": R("int", about="people infected from the start to the end"),
            "peak": R("int", about="most people infected at one time"),
            "peak_time": R(unit="d", about="when that number was first reached"),
            "duration": R(unit="d", about="time until nobody is infected"),
        }
    ),
    latex=r"S + I \xrightarrow{\beta / N} 2 I, \quad I \xrightarrow{\gamma} R",
    keywords=["Gillespie", "Kermack-McKendrick", "outbreak", "stochastic"],
    cases=[
        case(
            susceptible=0,
            infected=20_000,
            infection_rate=3.0,
            recovery_rate=2.0,
            seed=21,
            result={"ever_infected": 20_000, "peak": 20_000, "peak_time": 0.0, "duration": 5.24},
            within=0.3,
            origin="ross2014, last of exponential times: (ln N + 0.577) / rate on average",
        ),
        case(
            susceptible=99_000,
            infected=1_000,
            infection_rate=2.0,
            recovery_rate=1.0,
            seed=22,
            result={"ever_infected": 79_900, "peak": 15_800, "peak_time": 5.0, "duration": 25.0},
            within=0.5,
            origin="kermack1927, epidemic curve: final size 0.80 and peak 0.158 of the population in the limit",
        ),
    ],
)
def sir_epidemic(
    susceptible: int, infected: int, infection_rate: float, recovery_rate: float, *, words: Words
) -> dict[str, float]:
    """Course of a random epidemic in a closed, well mixed population, event by event, until it has ended."""
    people, ill, healthy = susceptible + infected, infected, susceptible
    peak, events = ill, 0
    times: list[float] = []
    while ill:
        check_deadline()
        gaps, picks = words.exponential(BLOCK).tolist(), words.uniform(BLOCK).tolist()
        for gap, pick in zip(gaps, picks, strict=True):
            catch, recover = infection_rate * healthy * ill / people, recovery_rate * ill
            times.append(gap / (catch + recover))
            if pick * (catch + recover) < catch:
                healthy, ill = healthy - 1, ill + 1
                if ill > peak:
                    peak, events = ill, len(times)
            else:
                ill -= 1
            if not ill:
                break
    return {
        "ever_infected": people - healthy,
        "peak": peak,
        "peak_time": total(times[:events]),
        "duration": total(times),
    }


@capability(
    "simulation.branching_process",
    tier="seeded",
    version=2,
    source="harris1963, ch. I",
    params={
        "ancestors": P("int", domain="[1, 1000000]", about="size of the first generation", symbol="Z_0"),
        "mean_offspring": P(domain="[0, 100]", about="mean of the Poisson number of offspring of each", symbol="m"),
        "generations": P("int", domain="[1, 1000]", about="number of generations after the first", symbol="n"),
    },
    result=R("int[]", about="size of each generation, the first included"),
    latex=r"Z_{k+1} = \sum_{i=1}^{Z_k} X_i, \quad X_i \sim \mathrm{Poisson}(m)",
    keywords=["Galton-Watson", "extinction", "population"],
    cases=[
        case(
            ancestors=5, mean_offspring=0.0, generations=3, seed=1, result=[5, 0, 0, 0], origin="by hand: no offspring"
        ),
        case(
            ancestors=100_000,
            mean_offspring=1.5,
            generations=3,
            seed=2,
            result=[100_000, 150_000, 225_000, 337_500],
            within=2e-2,
            origin="harris1963, ch. I: the mean is Z_0 m^k",
        ),
    ],
)
def branching_process(ancestors: int, mean_offspring: float, generations: int, *, words: Words) -> list[int]:
    """Sizes of the generations of a population in which each has a Poisson number of offspring."""
    sizes = [ancestors]
    for _ in range(generations):
        check_deadline()
        if sizes[-1] * max(mean_offspring, 1.0) > LARGEST_GENERATION:
            raise LimitError(f"A generation of more than {LARGEST_GENERATION}.", expected=LARGEST_GENERATION)
        sizes.append(int(words.poisson(mean_offspring * sizes[-1], 1)[0]))  # the law of the sum of all
    return sizes


@capability(
    "simulation.gamblers_ruin",
    tier="seeded",
    source="feller1968, ch. XIV",
    params={
        "stake": P("int", domain="[1, 1000]", about="capital at the start", symbol="z"),
        "goal": P("int", domain="[2, 1000]", about="capital at which the gambler stops", symbol="a"),
        "probability": P(domain="[0, 1]", about="probability of winning a round", symbol="p"),
        "games": P("int", domain="[1, 200000]", about="number of simulated games"),
    },
    result=R(
        fields={
            "ruined": R(about="part of the games that ended in ruin"),
            "mean_rounds": R(about="mean number of rounds until ruin or the goal"),
        }
    ),
    requires=["stake < goal"],
    latex=r"X_{k+1} = X_k \pm 1 \text{ until } X \in \{0, a\}",
    cases=[
        case(
            stake=4,
            goal=10,
            probability=0.5,
            games=50_000,
            seed=31,
            result={"ruined": 0.6, "mean_rounds": 24.0},
            within=2e-2,
            origin="feller1968, ch. XIV: 1 - z/a and z (a - z)",
        ),
        case(
            stake=3,
            goal=5,
            probability=1.0,
            games=10,
            seed=1,
            result={"ruined": 0.0, "mean_rounds": 2.0},
            origin="by hand: two wins",
        ),
        case(
            stake=9,
            goal=10,
            probability=0.45,
            games=50_000,
            seed=32,
            result={"ruined": 0.210, "mean_rounds": 11.0},
            within=5e-2,
            origin="feller1968, ch. XIV, table 1",
        ),
    ],
)
def gamblers_ruin(stake: int, goal: int, probability: float, games: int, *, words: Words) -> dict[str, float]:
    """How often a gambler who plays until ruin or a goal is ruined, and after how many rounds, in simulated games."""
    capital, ruined, rounds = np.full(games, stake, np.int64), 0, 0
    while capital.size:
        check_deadline()
        rounds += capital.size
        capital = capital + np.where(words.happens(probability, capital.size), 1, -1)
        ruined += int(np.count_nonzero(capital == 0))
        capital = capital[(capital > 0) & (capital < goal)]
    return {"ruined": ruined / games, "mean_rounds": rounds / games}


@capability(
    "simulation.poisson_arrivals",
    tier="seeded",
    source="ross2014, sec. 5.3",
    params={
        "rate": P(unit="1/s", domain="(0, inf)", about="mean number of arrivals in a unit of time", symbol="\\lambda"),
        "count": P("int", domain="[1, 1000000]", about="number of arrivals", symbol="n"),
    },
    result=R("float64[]", unit="s", about="time of each arrival"),
    latex=r"T_k = \sum_{i \le k} E_i, \quad E_i \sim \mathrm{Exp}(\lambda)",
    keywords=["Poisson process", "events"],
    cases=[
        case(
            rate=2.0,
            count=3,
            seed=0,
            result=[0.2255228853555043, 0.8805846759458071, 2.477999265207255],
            within=1e-13,
            origin="mpmath 1.4.1, 50 digits, from PCG64 of the seed",
        ),
        case(
            rate=0.25,
            count=5,
            seed=42,
            result=[1.0249607672645804, 4.319091994730534, 4.928910178115164, 6.370678133466847, 15.820980511870557],
            within=1e-13,
            origin="mpmath 1.4.1, 50 digits, from PCG64 of the seed",
        ),
    ],
)
def poisson_arrivals(rate: float, count: int, *, words: Words) -> Any:
    """Times of the first arrivals of a Poisson process."""
    return np.add.accumulate(words.exponential(count) / rate)
