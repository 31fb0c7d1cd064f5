"""Differential equations: exact steps for linear systems, and named nonlinear ones in the pinned runtime."""

import itertools

from flint import arb, arb_mat, fmpq, fmpq_mat
from scipy.integrate import solve_ivp
from service_nb_kernels.certified.matrices import bits_of, column, exponential, rational, square
from service_nb_kernels.certified.polynomials import rational as exact_number
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, LimitError
from service_nb_kernels.numeric import np

MOST_BITS = 1_000_000  # of a number in an exact step
MOST_EVALUATIONS = 500_000  # of a field, on the way to the last time


def checked(times):
    """Return times that ascend."""
    if np.any(np.diff(times) <= 0) or times[0] < 0:
        raise DomainError("times", None, "ascending times of 0 or more")
    return times


def integrated(field, start, times):
    """Return the states at times, by the Dormand-Prince method of order eight."""
    if checked(times)[-1] == 0:
        return np.array([start])
    evaluations = itertools.count()

    def watched(time, state):  # a stiff or exploding flow takes ever smaller steps
        check_deadline()
        if next(evaluations) > MOST_EVALUATIONS:
            raise LimitError("The solution needs too many steps to reach the last time.")
        return field(time, state)

    with np.errstate(all="ignore"):  # a step that overflows is not taken
        found = solve_ivp(
            watched, (0.0, float(times[-1])), start, method="DOP853", t_eval=times, rtol=1e-11, atol=1e-12
        )
    if not found.success:
        raise LimitError("The solution could not be followed to the last time.")
    return found.y.T


def steps_of(matrix, state, step, count, terms):
    """Return the state after steps of the Taylor polynomial of the flow, exactly."""
    square("matrix", matrix)
    scaled, size = rational(matrix) * exact_number(step), len(matrix)
    term = total = fmpq_mat([[int(i == j) for j in range(size)] for i in range(size)])
    for k in range(1, terms + 1):
        term = term * scaled * fmpq(1, k)
        total = total + term
    return powered(total, count, rational(state))


def powered(flow, count, state):
    """Return the state after repeated steps."""
    for _ in range(count):
        check_deadline()
        bits = bits_of(flow) + bits_of(state)
        if bits > MOST_BITS:
            raise LimitError(f"An exact step has numbers of {bits:,} bits; expected at most {MOST_BITS:,}.")
        state = flow * state
    return column(state)


@capability(
    "calculus.euler_linear",
    tier="certified",
    source="hairer1993, sec. I.7",
    params={
        "matrix": P("float64[n,n]", about="matrix of the system x' = A x"),
        "state": P("float64[n]", about="state at the start"),
        "step": P("float64", about="length of a step", domain="(0, inf)"),
        "count": P("int", about="number of steps", domain="[1, 200]"),
    },
    result=R("float64[n]", about="state after the steps"),
    limit={"n": 10},
    cases=[
        case(matrix=[[-1.0]], state=[1.0], step=0.5, count=2, result=[0.25], origin="by hand: (1 - h)^2"),
        case(
            matrix=[[0.0, 1.0], [-1.0, 0.0]], state=[1.0, 0.0], step=0.5, count=2, result=[0.75, -1.0], origin="by hand"
        ),
        case(
            matrix=[[-0.58, 0.983, -0.29], [0.717, 0.05, 0.306], [-0.233, 0.218, -0.341]],
            state=[-0.428, 0.732, 0.535],
            step=0.132,
            count=5,
            result=[0.025562232186532897, 0.7566893896136242, 0.5515460106361707],
            within=1e-14,
            origin="scipy 1.17.1, scipy.signal.cont2discrete: euler",
        ),
    ],
)
def euler_linear(matrix, state, step, count):
    """State of a linear system after steps of Euler's method, without any error of rounding."""
    return steps_of(matrix, state, step, count, 1)


@capability(
    "calculus.rk4_linear",
    tier="certified",
    source="hairer1993, sec. II.1",
    params={
        "matrix": P("float64[n,n]", about="matrix of the system x' = A x"),
        "state": P("float64[n]", about="state at the start"),
        "step": P("float64", about="length of a step", domain="(0, inf)"),
        "count": P("int", about="number of steps", domain="[1, 200]"),
    },
    result=R("float64[n]", about="state after the steps"),
    limit={"n": 10},
    cases=[
        case(
            matrix=[[1.0]],
            state=[1.0],
            step=1.0,
            count=1,
            result=[2.7083333333333335],
            origin="by hand: 1 + 1 + 1/2 + 1/6 + 1/24",
        ),
        case(
            matrix=[[0.0, 1.0], [-1.0, 0.0]],
            state=[1.0, 0.0],
            step=1.0,
            count=1,
            result=[0.5416666666666666, -0.8333333333333334],
            origin="by hand",
        ),
    ],
)
def rk4_linear(matrix, state, step, count):
    """State of a linear system after steps of the classical Runge-Kutta method, without any error of rounding."""
    return steps_of(matrix, state, step, count, 4)


@capability(
    "calculus.crank_nicolson_linear",
    tier="certified",
    source="hairer1993, sec. II.7",
    params={
        "matrix": P("float64[n,n]", about="matrix of the system x' = A x"),
        "state": P("float64[n]", about="state at the start"),
        "step": P("float64", about="length of a step", domain="(0, inf)"),
        "count": P("int", about="number of steps", domain="[1, 200]"),
    },
    result=R("float64[n]", about="state after the steps"),
    limit={"n": 10},
    cases=[
        case(matrix=[[-1.0]], state=[1.0], step=0.5, count=1, result=[0.6], origin="by hand: (1 - h/2) / (1 + h/2)"),
        case(
            matrix=[[0.0, 1.0], [-1.0, 0.0]],
            state=[1.0, 0.0],
            step=2.0,
            count=1,
            result=[0.0, -1.0],
            origin="by hand: Cayley's rotation",
        ),
        case(matrix=[[2.0]], state=[1.0], step=1.0, count=1, error="domain_error", origin="by hand: a singular step"),
        case(
            matrix=[[-0.438, -0.647, -0.68], [0.776, 0.589, -0.188], [-0.444, -0.829, -0.65]],
            state=[-1.2, 0.386, 1.75],
            step=0.293,
            count=3,
            result=[-1.4717143892337372, -0.9461822778876587, 1.5619150891032656],
            within=1e-14,
            origin="scipy 1.17.1, scipy.signal.cont2discrete: bilinear",
        ),
    ],
)
def crank_nicolson_linear(matrix, state, step, count):
    """State of a linear system after steps of the implicit trapezoidal rule, without any error of rounding."""
    square("matrix", matrix)
    half, size = rational(matrix) * (exact_number(step) / 2), len(matrix)
    unit = fmpq_mat([[int(i == j) for j in range(size)] for i in range(size)])
    try:
        flow = (unit - half).solve(unit + half)
    except ZeroDivisionError:
        raise DomainError("step", step, "a step at which the implicit equation can be solved") from None
    return powered(flow, count, rational(state))


@capability(
    "calculus.linear_system_with_source",
    tier="certified",
    source="hairer1993, sec. I.11",
    params={
        "matrix": P("float64[n,n]", about="matrix of the system x' = A x + b"),
        "source": P("float64[n]", about="constant source b"),
        "state": P("float64[n]", about="state at the start"),
        "time": P("float64", about="time", domain="[0, 1000]"),
    },
    result=R("float64[n]", about="state at the time"),
    limit={"n": 30},
    cases=[
        case(
            matrix=[[-0.5]],
            source=[2.0],
            state=[1.0],
            time=3.0,
            result=[3.3306095195547103],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            matrix=[[0.0, 1.0], [-1.0, 0.0]],
            source=[0.0, 1.0],
            state=[0.0, 0.0],
            time=2.0,
            result=[1.4161468365471424, 0.9092974268256817],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            matrix=[[-0.96, -0.33], [-0.685, -0.28]],
            source=[-0.778, -1.21],
            state=[-0.278, -2.21],
            time=1.29,
            result=[-0.038912377250066965, -2.7420243312116948],
            within=1e-14,
            origin="scipy 1.17.1, scipy.signal.cont2discrete: zero-order hold",
        ),
    ],
)
def linear_system_with_source(matrix, source, state, time):
    """State at a time of a linear system with a constant source, through one matrix exponential."""
    square("matrix", matrix)
    size = len(matrix)
    larger = [[*map(float, row), float(b)] for row, b in zip(matrix, source, strict=True)] + [[0.0] * (size + 1)]
    flow = exponential(arb_mat(larger) * arb(time))
    return column(flow * arb_mat([[float(x)] for x in state] + [[1]]))[:size]


@capability(
    "calculus.lotka_volterra",
    tier="pinned",
    version=2,
    source="murray2002, sec. 3.1",
    params={
        "rates": P(
            "float64[k]",
            about="growth of prey, loss per predator, death of predators, gain per prey",
            domain="[0, inf)",
            min_size=4,
        ),
        "start": P("float64[m]", about="prey and predators at the start", domain="[0, inf)", min_size=2),
        "times": P("float64[n]", about="ascending times", domain="[0, 10000]"),
    },
    result=R("float64[n,m]", about="prey and predators at each time", range="[0, inf)"),
    limit={"k": 4, "m": 2, "n": 10000},
    cases=[
        case(
            rates=[1.0, 1.0, 1.0, 1.0],
            start=[30.0, 30.0],
            times=[5.0, 20.0],
            result=[[2.8792638472070846e-23, 0.41414597147085936], [6.220673932254774e-17, 1.2668821369941883e-07]],
            within=1e-8,
            origin="mpmath 1.3.0, 30 digits",
        ),
        case(
            rates=[0.5, 1.0, 1.0, 1.0],
            start=[2.0, 0.0],
            times=[2.0],
            result=[[5.43656365691809, 0.0]],
            within=1e-14,
            origin="by hand: 2 e, as nothing preys",
        ),
        case(
            rates=[1.0, 0.5, 0.75, 0.25],
            start=[3.0, 2.0],
            times=[1.0, 5.0],
            result=[[3.0, 2.0], [3.0, 2.0]],
            within=1e-9,
            origin="by hand: the balance",
        ),
        case(
            rates=[1.0, 0.1, 1.5, 0.075],
            start=[10.0, 5.0],
            times=[1.0, 2.0],
            result=[[18.634933339742762, 3.1088984339465635], [35.314367422104326, 5.060940372966692]],
            within=1e-8,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            rates=[0.461, 0.327, 1.28, 0.843],
            start=[2.84, 1.41],
            times=[1.61, 2.63],
            result=[[1.309907394397963, 3.6765341879661015], [0.7583946998126879, 2.2943368969274465]],
            within=1e-11,
            origin="scipy 1.17.1, scipy.integrate.solve_ivp: DOP853",
        ),
    ],
)
def lotka_volterra(rates, start, times):
    """Prey and predators at given times in the model of Lotka and Volterra."""
    a, b, c, d = rates
    if 0 in start:  # each kind grows or dies out alone
        with np.errstate(over="ignore"):
            return finite(start * np.exp(np.outer(checked(times), [a, -c])))
    prey, predators = start
    growth = integrated(  # of the logarithms, so that a kind that is rare for a while keeps all of its digits
        lambda _, s: (a - b * predators * np.exp(s[1]), d * prey * np.exp(s[0]) - c), np.zeros(2), times
    )
    with np.errstate(over="ignore"):
        return finite(start * np.exp(growth))


def finite(found):
    """Refuse values beyond the largest double."""
    if not np.all(np.isfinite(found)):
        raise DomainError("times", None, "times at which the values stay below the largest double")
    return found


@capability(
    "calculus.van_der_pol",
    tier="pinned",
    source="hairer1993, sec. I.16",
    params={
        "damping": P("float64", about="strength of the damping", domain="[0, 50]"),
        "start": P("float64[m]", about="position and velocity at the start", min_size=2),
        "times": P("float64[n]", about="ascending times", domain="[0, 1000]"),
    },
    result=R("float64[n,m]", about="position and velocity at each time"),
    limit={"m": 2, "n": 10000},
    cases=[
        case(
            damping=0.0,
            start=[1.0, 0.0],
            times=[1.0],
            result=[[0.5403023058681398, -0.8414709848078965]],
            within=1e-9,
            origin="by hand: harmonic",
        ),
        case(
            damping=1.0,
            start=[2.0, 0.0],
            times=[1.0, 3.0],
            result=[[1.5081442369756088, -0.780218074629695], [-1.866073911061085, -1.0210603401958571]],
            within=1e-8,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            damping=1.37,
            start=[1.94, 1.53],
            times=[2.04, 4.84],
            result=[[1.303042933769773, -0.7838169563820581], [-1.739492455309206, 0.5244904880862803]],
            within=1e-11,
            origin="scipy 1.17.1, scipy.integrate.solve_ivp: DOP853",
        ),
    ],
)
def van_der_pol(damping, start, times):
    """Position and velocity at given times of van der Pol's self-excited oscillator."""
    return integrated(lambda _, s: (s[1], damping * (1 - s[0] ** 2) * s[1] - s[0]), start, times)


@capability(
    "calculus.lorenz",
    tier="pinned",
    version=2,
    source="lorenz1963, eq. 25",
    params={
        "rates": P(
            "float64[k]", about="Prandtl number, Rayleigh number over its critical value, geometric factor", min_size=3
        ),
        "start": P("float64[m]", about="state at the start", min_size=3),
        "times": P("float64[n]", about="ascending times", domain="[0, 50]"),
    },
    result=R("float64[n,m]", about="state at each time"),
    requires=["rates[0] >= 0", "rates[2] >= 0"],
    limit={"k": 3, "m": 3, "n": 10000},
    cases=[
        case(
            rates=[10.0, 28.0, 2.6666666666666665],
            start=[0.0, 0.0, 1.0],
            times=[1.5],
            result=[[0.0, 0.0, 0.01831563888873418]],
            within=1e-8,
            origin="by hand: the stable axis",
        ),
        case(
            rates=[10.0, 28.0, 2.5],
            start=[1.0, 1.0, 1.0],
            times=[0.5, 1.0],
            result=[
                [0.9483873536657054, -9.182090280233322, 33.16610068585192],
                [-8.995470430873791, -8.83167917209527, 28.187047502512176],
            ],
            within=1e-6,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            rates=[4.85, 1.64, 6.7],
            start=[1.22, 0.713, -2.69],
            times=[0.331, 0.394],
            result=[
                [1.187325598973706, 1.32520228650702, -0.11088246450866254],
                [1.2298011100748159, 1.368658162163841, 0.011200410284335537],
            ],
            within=1e-10,
            origin="scipy 1.17.1, scipy.integrate.solve_ivp: DOP853",
        ),
    ],
)
def lorenz(rates, start, times):
    """State at given times of Lorenz's model of convection; errors grow with time, as in the weather."""
    a, b, c = rates
    return integrated(lambda _, s: (a * (s[1] - s[0]), s[0] * (b - s[2]) - s[1], s[0] * s[1] - c * s[2]), start, times)


@capability(
    "calculus.sir_epidemic",
    tier="pinned",
    version=3,
    source="kermack1927, eq. 29",
    params={
        "rates": P("float64[k]", about="transmission and recovery per time", domain="[0, 1000]", min_size=2),
        "start": P(
            "float64[m]",
            about="shares that are susceptible, infected and recovered; the rest is immune",
            domain="[0, 1]",
            min_size=3,
        ),
        "times": P("float64[n]", about="ascending times", domain="[0, 10000]"),
    },
    result=R("float64[n,m]", about="shares at each time", range="[0, 1]"),
    requires=["sum(start) <= 1.000000001"],
    limit={"k": 2, "m": 3, "n": 10000},
    cases=[
        case(
            rates=[0.3, 0.1],
            start=[0.999999999, 1e-9, 0.0],
            times=[50.0, 120.0],
            result=[
                [0.9999669621654632, 2.2025374437444606e-05, 1.1012460099360048e-05],
                [0.12792180705265133, 0.18663283190456217, 0.6854453610427865],
            ],
            within=1e-8,
            origin="mpmath 1.3.0, 30 digits",
        ),
        case(
            rates=[0.0, 0.5],
            start=[0.9, 0.1, 0.0],
            times=[2.0],
            result=[[0.9, 0.036787944117144235, 0.06321205588285576]],
            within=1e-9,
            origin="by hand: only recovery",
        ),
        case(
            rates=[0.3, 0.1],
            start=[0.99, 0.01, 0.0],
            times=[10.0, 40.0],
            result=[
                [0.9044993454235982, 0.065392867248996, 0.030107787327405815],
                [0.12104942011252633, 0.17844856314248497, 0.7005020167449887],
            ],
            within=1e-8,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            rates=[1.22, 1.48],
            start=[0.115, 0.292, 0.206],
            times=[2.24, 4.33, 5.83],
            result=[
                [0.08953326438570447, 0.013797541786407725, 0.5096691938278878],
                [0.08850279075041322, 0.0007848292852415642, 0.5237123799643452],
                [0.08844893217173566, 0.0001002193441763788, 0.524450848484088],
            ],
            within=1e-09,
            origin="scipy 1.17.1, scipy.integrate.solve_ivp: DOP853",
        ),
        case(
            rates=[0.5, 0.1],
            start=[0.9, 0.2, 0.0],
            times=[1.0],
            error="domain_error",
            origin="by hand: the shares add up to more than everybody",
        ),
    ],
)
def sir_epidemic(rates, start, times):
    """Susceptible, infected and recovered shares at given times of an epidemic."""
    (infect, recover), (healthy, ill, immune) = rates, start
    if healthy == 0 or ill == 0:  # nobody is left to be infected, or to infect
        times = checked(times)
        growth = np.column_stack([np.zeros(len(times)), -recover * times])
    else:  # of the logarithms, so that a few infected keep all of their digits
        growth = integrated(
            lambda _, s: (-infect * ill * np.exp(s[1]), infect * healthy * np.exp(s[0]) - recover), np.zeros(2), times
        )
    shares = start[:2] * np.exp(growth)
    removed = np.maximum(healthy + ill - shares.sum(axis=1), 0.0)
    return np.column_stack([shares, np.minimum(immune + removed, 1.0)])


@capability(
    "calculus.pendulum",
    tier="pinned",
    source="strogatz2015, sec. 6.7",
    params={
        "frequency": P("float64", about="angular frequency of small swings", domain="(0, 1000]"),
        "start": P("float64[m]", about="angle from rest in radians and angular velocity at the start", min_size=2),
        "times": P("float64[n]", about="ascending times", domain="[0, 1000]"),
    },
    result=R("float64[n,m]", about="angle from rest in radians and angular velocity at each time"),
    limit={"m": 2, "n": 10000},
    cases=[
        case(
            frequency=1.0,
            start=[1.0, 0.0],
            times=[2.0],
            result=[[-0.306200957588524, -0.9090471049978626]],
            within=1e-8,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            frequency=2.0,
            start=[0.5, 0.0],
            times=[1.0],
            result=[[-0.1946568207912357, -0.9100837171781296]],
            within=1e-8,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            frequency=1.03,
            start=[0.435, -1.39],
            times=[0.399, 4.16],
            result=[[-0.13998248856141285, -1.4522219628980428], [0.3662957389420979, 1.4102992295310524]],
            within=1e-10,
            origin="scipy 1.17.1, scipy.integrate.solve_ivp: DOP853",
        ),
    ],
)
def pendulum(frequency, start, times):
    """Angle and angular velocity at given times of a pendulum with swings of any size."""
    return integrated(lambda _, s: (s[1], -(frequency**2) * np.sin(s[0])), start, times)
