"""Which addresses are public is what IANA registers, on every version of Python."""

from __future__ import annotations

import re
from datetime import date
from ipaddress import ip_address

import pytest

from service_nb.connectors.addresses import AS_OF, IPV4, IPV6, find_block, is_public, may_reach

# Which of these `ipaddress` takes for public has changed between releases of Python 3.11, 3.12 and 3.13.
PRIVATE = (
    *("192.0.0.1", "192.0.0.8", "192.0.0.170", "192.88.99.1", "100.64.0.1", "198.18.0.1", "203.0.113.9", "0.1.2.3"),
    *("240.0.0.1", "255.255.255.255", "224.0.0.251", "10.255.255.255", "172.31.255.255", "192.168.255.255"),
    *("64:ff9b:1::1", "100::1", "100:0:0:1::1", "2001:2::1", "2001:db8::1", "2001:10::1", "2001:40::1", "3fff::1"),
    *("3fff:fff:ffff::1", "5f00::1", "fc00::1", "fdff::1", "fe80::1", "fec0::1", "ff02::1", "4000::1", "8000::1"),
)
PUBLIC = (
    *("1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0"),
    *("192.0.0.9", "192.0.0.10", "192.0.1.1", "192.31.196.1", "192.175.48.1", "198.17.255.255", "198.20.0.0"),
    *("223.255.255.255", "2001:1::1", "2001:1::3", "2001:20::1", "2001:30::1", "2001:200::1", "2606:4700::1111"),
    *("2620:4f:8000::1", "3fff:1000::1"),
)


@pytest.mark.parametrize("text", PRIVATE)
def test_an_address_that_is_not_of_the_internet_is_not_gone_to(text: str) -> None:
    assert not is_public(ip_address(text))
    assert not may_reach(ip_address(text))


@pytest.mark.parametrize("text", PUBLIC)
def test_an_address_of_the_internet_is_gone_to(text: str) -> None:
    assert is_public(ip_address(text))
    assert may_reach(ip_address(text))


@pytest.mark.parametrize(
    "text", ["64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "::ffff:10.0.0.1", "2002:7f00:1::", "::127.0.0.1"]
)
def test_an_address_that_holds_another_counts_as_that(text: str) -> None:
    assert not may_reach(ip_address(text))


@pytest.mark.parametrize("text", ["64:ff9b:1::a9fe:a9fe", "100::1", "5f00::1", "240.0.0.1", "169.254.169.254", "::"])
def test_what_no_network_uses_for_its_own_machines_is_not_gone_to_there_either(text: str) -> None:
    assert not may_reach(ip_address(text), "network")


def test_the_registries_have_a_date_each_block_says_why_and_the_narrowest_decides() -> None:
    assert date(2025, 1, 1) <= date.fromisoformat(AS_OF)
    for blocks in (IPV4, IPV6):
        assert len({block.network for block in blocks}) == len(blocks)
        assert all(re.search(r"RFC \d{3,4}$", block.name) for block in blocks)
        for block in blocks:
            found = find_block(block.network[0])
            assert found is not None
            assert found.network.subnet_of(block.network)  # type: ignore[arg-type]  # of one family
