"""Products, powers, exponentials, norms of matrices: exact sums of exact products."""

from flint import arb, fmpq, fmpq_mat
from service_nb_kernels.certified.linalg import root_of
from service_nb_kernels.certified.matrices import balls, column, exponential, integers, rational, rows, square, two_to
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def scaled(whole, exponent):
    """Return the rows of an integer matrix times a power of two."""
    factor = two_to(exponent)
    return [[x * factor for x in row] for row in rows(whole)]


@capability(
    "linalg.matrix_product",
    tier="certified",
    source="golub2013, sec. 1.1.10",
    keywords=["matrix multiplication"],
    params={
        "a": P("float64[m,k]", about="left matrix", unit="?u"),
        "b": P("float64[k,n]", about="right matrix", unit="?v"),
    },
    result=R("float64[m,n]", about="product", unit="?u*?v"),
    limit={"m": 300, "k": 1000, "n": 300},
    cases=[
        case(
            a=[[1.0, 2.0], [3.0, 4.0]],
            b=[[0.5], [0.25]],
            result=[[1.0], [2.5]],
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            a=[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]],
            b=[[0.7, 0.1], [0.2, 0.3], [0.9, 1.1]],
            result=[[0.38, 0.4], [0.92, 0.85]],
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            a=[[4.35, 1.8, -4.64, 3.77, -2.35, -1.24], [-4.39, 2.51, 3.74, 4.69, -3.26, -0.16]],
            b=[
                [0.893, 2.87, 2.19, 3.14, 3.88],
                [1.95, -3.17, 3.03, -0.672, 4.76],
                [0.0565, -4.81, 2.64, 3.01, -2.26],
                [-2.23, 3.68, 3.34, 1.34, -0.822],
                [-2.2, 4.52, 1.22, 1.21, 1.02],
                [2.85, 4.44, -1.7, -1.58, 2.41],
            ],
            result=[
                [0.3612900000000005, 26.842899999999993, 14.563699999999999, 2.650500000000001, 27.448059999999998],
                [-2.5571600000000005, -36.731799999999986, 19.8242, -1.6211199999999977, -21.103979999999996],
            ],
            within=1e-14,
            origin="numpy 2.4.6, numpy.matmul",
        ),
    ],
)
def matrix_product(a, b):
    """Product of two matrices, every entry an exact sum that is rounded once."""
    (left, p), (right, q) = integers(a), integers(b)
    return scaled(left * right, p + q)


@capability(
    "linalg.matrix_vector",
    tier="certified",
    source="golub2013, sec. 1.1.3",
    params={
        "matrix": P("float64[m,n]", about="matrix", unit="?u"),
        "vector": P("float64[n]", about="vector", unit="?v"),
    },
    result=R("float64[m]", about="product", unit="?u*?v"),
    limit={"m": 5000, "n": 5000},
    cases=[
        case(
            matrix=[[1.0, 2.0], [3.0, 4.0]],
            vector=[0.5, 0.25],
            result=[1.0, 2.5],
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            matrix=[[0.1, 0.2, 0.3]],
            vector=[0.3, -0.2, 0.1],
            result=[0.019999999999999997],
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            matrix=[
                [-0.723, 1.68, -0.57],
                [0.0415, 2.52, 3.43],
                [-0.704, 0.242, 0.962],
                [4.76, 2.01, -4.83],
                [1.59, 0.469, -4.68],
            ],
            vector=[-2.98, 3.58, -2.2],
            result=[9.42294, 1.3519299999999979, 0.84788, 3.6370000000000013, 7.23682],
            within=1e-14,
            origin="numpy 2.4.6, numpy.matmul",
        ),
    ],
)
def matrix_vector(matrix, vector):
    """Product of a matrix and a vector, every entry rounded once."""
    (left, p), (right, q) = integers(matrix), integers(vector)
    return [row[0] for row in scaled(left * right, p + q)]


@capability(
    "linalg.matrix_power",
    tier="certified",
    source="golub2013, sec. 9.2.5",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
        "exponent": P("int", about="whole exponent", domain="[-100, 1000]"),
    },
    result=R("float64[n,n]", about="power"),
    limit={"n": 20},
    cases=[
        case(
            matrix=[[1.0, 1.0], [1.0, 0.0]],
            exponent=10,
            result=[[89.0, 55.0], [55.0, 34.0]],
            origin="sympy 1.14.0, sympy.Matrix.pow",
        ),
        case(
            matrix=[[0.9, 0.1], [0.2, 0.8]],
            exponent=5,
            result=[[0.72269, 0.27731000000000006], [0.5546200000000001, 0.4453800000000001]],
            origin="sympy 1.14.0, sympy.Matrix.pow",
        ),
        case(
            matrix=[[1.0, 2.0], [3.0, 4.0]],
            exponent=-2,
            result=[[5.5, -2.5], [-3.75, 1.75]],
            origin="sympy 1.14.0, sympy.Matrix.pow",
        ),
        case(matrix=[[1.0, 2.0], [2.0, 4.0]], exponent=-1, error="domain_error", origin="by hand"),
    ],
)
def matrix_power(matrix, exponent):
    """Whole power of a square matrix, by exact multiplication."""
    square("matrix", matrix)
    whole, scale = integers(matrix)
    if exponent >= 0:
        return scaled(whole**exponent, scale * exponent)
    try:
        inverted = fmpq_mat(whole ** (-exponent)).inv()
    except ZeroDivisionError:
        raise DomainError("matrix", None, "a matrix with an inverse, for a negative exponent") from None
    return rows(inverted * two_to(scale * exponent))


@capability(
    "linalg.matrix_exponential",
    tier="certified",
    source="higham2008, ch. 10",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R("float64[n,n]", about="exponential"),
    limit={"n": 40},
    cases=[
        case(
            matrix=[[0.0, 1.0], [-1.0, 0.0]],
            result=[[0.5403023058681398, 0.8414709848078965], [-0.8414709848078965, 0.5403023058681398]],
            origin="by hand: a rotation by one radian",
        ),
        case(
            matrix=[[0.1, 0.2], [0.3, 0.4]],
            result=[[1.1420935489195727, 0.2603507475406927], [0.39052612131103903, 1.5326196702306116]],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(matrix=[[0.0, 1.0], [0.0, 0.0]], result=[[1.0, 1.0], [0.0, 1.0]], origin="by hand: nilpotent"),
        case(
            matrix=[
                [0.0648, 0.376, 0.0195, 0.906, 0.112, 0.601],
                [0.638, -0.262, 0.0849, 0.76, -0.321, -0.64],
                [-0.00366, 0.031, 0.0436, -0.704, 0.964, -0.846],
                [-0.984, 0.165, -0.175, 0.081, 0.369, 0.343],
                [0.568, -0.0698, 0.369, -0.144, -0.843, 0.124],
                [-0.156, 0.729, -0.0456, 0.396, 0.422, 0.872],
            ],
            result=[
                [
                    0.6864245369235871,
                    0.653729398620977,
                    -0.03301180806471658,
                    1.2333704288955594,
                    0.287796243758002,
                    0.9413617618235988,
                ],
                [
                    0.1775908122950303,
                    0.684406771363677,
                    -0.011955122410760327,
                    0.7159510941665987,
                    -0.15483772571421411,
                    -0.6054943766083847,
                ],
                [
                    0.630963221056759,
                    -0.3763316166025752,
                    1.2564922529504972,
                    -0.9801218033656292,
                    0.4553784258638463,
                    -1.3491566561936117,
                ],
                [
                    -0.8815944273232963,
                    0.053679759271816826,
                    -0.13658447237259014,
                    0.7808969085176674,
                    0.16702434402955085,
                    0.20551383872995035,
                ],
                [
                    0.4403322606692316,
                    0.08745087493613284,
                    0.28060560041412,
                    0.04524101938211035,
                    0.5776858694535764,
                    0.15019782227981968,
                ],
                [
                    -0.18218149943269887,
                    1.0061186693588757,
                    -0.017755608798963173,
                    0.8829411918179024,
                    0.43199697565200196,
                    2.1491498720356605,
                ],
            ],
            within=1e-14,
            origin="scipy 1.17.1, scipy.linalg.expm",
        ),
    ],
)
def matrix_exponential(matrix):
    """Exponential of a square matrix: the flow of a linear system over unit time."""
    square("matrix", matrix)
    return rows(exponential(balls(matrix)))


@capability(
    "linalg.exponential_action",
    tier="certified",
    source="higham2008, ch. 10",
    params={
        "matrix": P("float64[n,n]", about="generator"),
        "vector": P("float64[n]", about="state at the start"),
        "time": P("float64", about="time", domain="[-1000, 1000]"),
    },
    result=R("float64[n]", about="state at that time"),
    limit={"n": 40},
    cases=[
        case(
            matrix=[[-0.5, 0.5], [0.25, -0.25]],
            vector=[1.0, 0.0],
            time=2.0,
            result=[0.48208677343228656, 0.2589566132838567],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            matrix=[[0.1, 0.2], [0.3, 0.4]],
            vector=[1.0, -1.0],
            time=0.7,
            result=[0.9215798264501229, -1.0894802131202965],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            matrix=[
                [0.0226, 1.24, 1.34, -0.768, 1.57, 0.276],
                [0.853, 0.446, -1.17, 0.161, -0.173, -1.98],
                [-1.9, 0.617, -0.456, 1.37, 0.0798, 0.113],
                [0.455, -1.64, 1.76, 1.5, -0.937, -0.0125],
                [1.56, 1.21, -1.06, 1.11, 1.5, -1.44],
                [1.63, -1.35, -1.31, 0.262, 0.645, 0.653],
            ],
            vector=[3.72, -0.136, -3.72, 4.11, -0.525, 2.13],
            time=0.863,
            result=[
                -3.0631067640001493,
                -12.263251670029701,
                1.1741293708818474,
                12.983086944333452,
                -4.330158848141042,
                16.619577831786245,
            ],
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.expm: times the vector",
        ),
    ],
)
def exponential_action(matrix, vector, time):
    """State of a linear system x' = A x after a time, from its state at the start."""
    square("matrix", matrix)
    return column(exponential(balls(matrix) * arb(time)) * balls(vector))


@capability(
    "linalg.trace",
    tier="certified",
    source="strang2016, sec. 6.1",
    params={
        "matrix": P("float64[n,n]", about="square matrix", unit="?u"),
    },
    result=R("float64", about="trace", unit="?u"),
    limit={"n": 1000},
    cases=[
        case(
            matrix=[[0.1, 5.0], [7.0, 0.2]], result=0.30000000000000004, origin="exact fractions, Python 3.11 fractions"
        ),
        case(matrix=[[1.0, 2.0], [3.0, 4.0]], result=5.0, origin="exact fractions, Python 3.11 fractions"),
        case(
            matrix=[
                [-2.24, 1.43, -3.45, -4.75, 1.7, 0.216],
                [4.18, -0.0831, 3.43, -2.75, 0.482, 0.27],
                [-0.687, -0.752, 1.95, -4.39, 4.05, 4.44],
                [-2.55, 4.13, 4.05, 3.09, 0.0268, 0.454],
                [-3.52, 1.46, -1.57, -3.99, 1.65, -1.35],
                [-1.15, -2.19, 3.13, -0.625, 4.3, -4.06],
            ],
            result=0.30689999999999973,
            within=1e-14,
            origin="numpy 2.4.6, numpy.trace",
        ),
    ],
)
def trace(matrix):
    """Sum of the diagonal of a square matrix, rounded once."""
    square("matrix", matrix)
    return sum(column(rational(matrix.diagonal())), fmpq(0))


@capability(
    "linalg.kronecker",
    tier="certified",
    source="golub2013, sec. 1.3.6",
    params={
        "a": P("float64[m,n]", about="left matrix", unit="?u"),
        "b": P("float64[p,q]", about="right matrix", unit="?v"),
    },
    result=R("float64[r,s]", about="Kronecker product", unit="?u*?v"),
    limit={"m": 20, "n": 20, "p": 20, "q": 20},
    cases=[
        case(
            a=[[1.0, 2.0]],
            b=[[0.5], [0.25]],
            result=[[0.5, 1.0], [0.25, 0.5]],
            origin="sympy 1.14.0, sympy.kronecker_product",
        ),
        case(
            a=[[0.1, 0.2], [0.3, 0.4]],
            b=[[0.7, 1.0], [0.0, 3.0]],
            result=[
                [0.06999999999999999, 0.1, 0.13999999999999999, 0.2],
                [0.0, 0.30000000000000004, 0.0, 0.6000000000000001],
                [0.21, 0.3, 0.27999999999999997, 0.4],
                [0.0, 0.8999999999999999, 0.0, 1.2000000000000002],
            ],
            origin="sympy 1.14.0, sympy.kronecker_product",
        ),
    ],
)
def kronecker(a, b):
    """Kronecker product of two matrices: a block of the second for each entry of the first."""
    left, right = rows(rational(a)), rows(rational(b))
    return [[x * y for x in across for y in inner] for across in left for inner in right]


@capability(
    "linalg.norm_1",
    tier="certified",
    source="golub2013, eq. 2.3.9",
    params={
        "matrix": P("float64[m,n]", about="any matrix", unit="?u"),
    },
    result=R("float64", about="largest absolute column sum", unit="?u"),
    limit={"m": 1000, "n": 1000},
    cases=[
        case(matrix=[[1.0, -2.0], [3.0, 4.0]], result=6.0, origin="exact fractions, Python 3.11 fractions"),
        case(matrix=[[0.1, 0.2], [0.3, 0.4], [-0.7, 0.5]], result=1.1, origin="exact fractions, Python 3.11 fractions"),
        case(
            matrix=[[-2.61, -4.57], [-1.27, 4.52], [2.73, 3.79], [1.29, -2.94], [-3.57, -0.288]],
            result=16.107999999999997,
            within=1e-14,
            origin="numpy 2.4.6, numpy.linalg.norm: order 1",
        ),
    ],
)
def norm_1(matrix):
    """Largest absolute column sum of a matrix: its norm for the taxicab length."""
    return max(sum((abs(x) for x in line), fmpq(0)) for line in rows(rational(matrix.T)))


@capability(
    "linalg.norm_inf",
    tier="certified",
    source="golub2013, eq. 2.3.10",
    params={
        "matrix": P("float64[m,n]", about="any matrix", unit="?u"),
    },
    result=R("float64", about="largest absolute row sum", unit="?u"),
    limit={"m": 1000, "n": 1000},
    cases=[
        case(matrix=[[1.0, -2.0], [3.0, 4.0]], result=7.0, origin="exact fractions, Python 3.11 fractions"),
        case(matrix=[[0.1, 0.2], [0.3, 0.4], [-0.7, 0.5]], result=1.2, origin="exact fractions, Python 3.11 fractions"),
        case(
            matrix=[
                [-4.47, 4.15, 4.28, -3.71, 0.033],
                [-2.22, -3.66, 2.59, 1.21, -1.63],
                [-4.54, 2.25, 2.18, -3.19, -0.609],
                [-1.3, -0.108, -4.98, -1.64, 2.48],
                [-0.795, -1.51, -3.07, 5.0, 3.26],
            ],
            result=16.643000000000004,
            within=1e-14,
            origin="numpy 2.4.6, numpy.linalg.norm: order inf",
        ),
    ],
)
def norm_inf(matrix):
    """Largest absolute row sum of a matrix: its norm for the maximum length."""
    return max(sum((abs(x) for x in line), fmpq(0)) for line in rows(rational(matrix)))


@capability(
    "linalg.norm_frobenius",
    tier="certified",
    source="golub2013, eq. 2.3.1",
    params={
        "matrix": P("float64[m,n]", about="any matrix", unit="?u"),
    },
    result=R("float64", about="Frobenius norm", unit="?u"),
    limit={"m": 300, "n": 300},
    cases=[
        case(matrix=[[1.0, 2.0], [3.0, 4.0]], result=5.477225575051661, origin="mpmath 1.4.1, 50 digits"),
        case(matrix=[[0.1, 0.2, 0.3]], result=0.3741657386773941, origin="mpmath 1.4.1, 50 digits"),
        case(matrix=[[3.0, 0.0], [0.0, 4.0]], result=5.0, origin="by hand"),
        case(
            matrix=[
                [-1.78, -3.39, -1.21, 2.65, -1.33],
                [-4.48, -0.615, -1.68, 4.51, 2.51],
                [1.14, 2.99, 2.22, -4.42, 1.98],
                [4.87, 2.62, -1.1, 3.59, 4.25],
                [-2.03, -4.04, -2.07, -1.79, -1.62],
                [2.11, -4.29, -4.8, 2.25, -3.62],
            ],
            result=16.45639769208316,
            within=1e-14,
            origin="numpy 2.4.6, numpy.linalg.norm",
        ),
    ],
)
def norm_frobenius(matrix):
    """Square root of the sum of all squared entries of a matrix."""
    whole, exponent = integers(matrix.reshape(-1))
    return root_of((whole.transpose() * whole)[0, 0] * two_to(2 * exponent))


@capability(
    "linalg.commutator",
    tier="certified",
    source="horn2013, sec. 0.7.7",
    params={
        "a": P("float64[n,n]", about="first matrix", unit="?u"),
        "b": P("float64[n,n]", about="second matrix", unit="?v"),
    },
    result=R("float64[n,n]", about="commutator", unit="?u*?v"),
    limit={"n": 200},
    cases=[
        case(
            a=[[0.0, 1.0], [0.0, 0.0]],
            b=[[0.0, 0.0], [1.0, 0.0]],
            result=[[1.0, 0.0], [0.0, -1.0]],
            origin="sympy 1.14.0, exact fractions",
        ),
        case(
            a=[[0.1, 0.2], [0.3, 0.4]],
            b=[[0.5, 0.6], [0.7, 0.8]],
            result=[[-0.03999999999999999, -0.12], [0.11999999999999998, 0.03999999999999999]],
            origin="sympy 1.14.0, exact fractions",
        ),
        case(
            a=[
                [-3.07, -4.55, 4.67, 3.89, 1.5, 1.38],
                [3.06, -3.69, -0.0838, 0.977, -1.71, -3.23],
                [1.07, 2.75, -2.79, -0.964, 4.0, -2.34],
                [-1.1, 0.77, 1.11, -2.81, 0.765, -4.32],
                [-4.52, -1.06, 4.21, 3.1, -0.117, 1.87],
                [-1.48, 3.57, -0.848, -4.26, 2.51, 2.71],
            ],
            b=[
                [1.92, 0.0413, -4.59, -0.422, 3.29, -0.337],
                [-2.07, -2.65, -4.13, 3.79, -0.953, -3.11],
                [-0.361, 4.41, -1.71, 1.1, 4.68, 0.749],
                [0.748, -2.66, -4.88, 1.47, -4.67, 2.34],
                [-2.56, -0.951, -3.97, 0.0452, 2.1, -1.51],
                [-2.88, 1.67, -4.94, -0.385, -0.523, -0.332],
            ],
            result=[
                [
                    21.520712,
                    49.582435999999994,
                    -42.295595060000004,
                    -30.3115101,
                    17.457662999999997,
                    4.743488999999999,
                ],
                [29.3863878, 2.5033299999999996, 14.404818, -5.750521999999998, 26.616235, 27.538463800000002],
                [3.846167999999996, -3.9220489999999995, -34.1181, -6.2124, 14.71672, -13.809989999999997],
                [3.904070000000003, -5.0860449999999995, 34.669402000000005, 25.731458, 24.13561, -19.790259999999996],
                [-4.165609999999999, 19.518797, -15.348255800000004, 0.5976606000000001, 12.236482, 6.314594],
                [-39.287071999999995, 7.779596000000002, -6.909530000000003, 9.964542, 39.510174, -27.873882],
            ],
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.matrix: A B - B A",
        ),
    ],
)
def commutator(a, b):
    """Commutator A B - B A of two square matrices, free of cancellation."""
    (left, p), (right, q) = integers(a), integers(b)
    return scaled(left * right - right * left, p + q)


@capability(
    "linalg.gram_matrix",
    tier="certified",
    source="horn2013, sec. 7.2.9",
    params={
        "vectors": P("float64[k,n]", about="vectors, one a row", unit="?u"),
    },
    result=R("float64[k,k]", about="scalar products of all pairs", unit="?u^2"),
    limit={"k": 200, "n": 1000},
    cases=[
        case(
            vectors=[[1.0, 2.0], [3.0, 4.0]], result=[[5.0, 11.0], [11.0, 25.0]], origin="sympy 1.14.0, exact fractions"
        ),
        case(
            vectors=[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]],
            result=[[0.13999999999999999, 0.32], [0.32, 0.77]],
            origin="sympy 1.14.0, exact fractions",
        ),
        case(
            vectors=[
                [-2.97, 4.86, 2.27, 3.7],
                [-1.09, -1.4, -2.97, 0.192],
                [3.28, -3.23, 1.73, 0.83],
                [-1.43, -1.77, 3.02, 0.938],
                [0.241, -3.34, 0.666, 3.16],
                [-3.34, -3.64, -2.67, -2.65],
            ],
            result=[
                [51.283400000000015, -9.5982, -18.441300000000002, 5.9708999999999985, -3.74435, -23.6365],
                [-9.5982, 12.005864, -4.0319400000000005, -4.752604000000001, 3.042009999999999, 16.1577],
                [-18.441300000000002, -4.0319400000000005, 24.873099999999997, 7.02984, 15.35366, -6.016599999999999],
                [5.9708999999999985, -4.752604000000001, 7.02984, 15.178044, 10.54257, 0.6698999999999999],
                [-3.74435, 3.042009999999999, 15.35366, 10.54257, 21.642837, 1.2004400000000008],
                [-23.6365, 16.1577, -6.016599999999999, 0.6698999999999999, 1.2004400000000008, 38.556599999999996],
            ],
            within=1e-14,
            origin="scikit-learn 1.9.1, sklearn.metrics.pairwise.linear_kernel",
        ),
    ],
)
def gram_matrix(vectors):
    """Scalar products of all pairs of vectors, each rounded once."""
    whole, exponent = integers(vectors)
    return scaled(whole * whole.transpose(), 2 * exponent)
