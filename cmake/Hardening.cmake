# VTMIRROR_HARDENING: the compiler's and linker's protections for network services, so that a memory error ends the process and cannot be
# exploited. The release preset and the Debian package set it; packaging/check_hardening checks a program for it.
option(VTMIRROR_HARDENING "Compile and link with the protections of a network service" OFF)

if(VTMIRROR_HARDENING)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)

  # _FORTIFY_SOURCE needs optimisation. A distribution's flags may already contain a lower level.
  set(optimised $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
  target_compile_options(vtmirror_flags INTERFACE
    -fstack-protector-strong $<${optimised}:-U_FORTIFY_SOURCE> $<${optimised}:-D_FORTIFY_SOURCE=3>)
  target_link_options(vtmirror_flags INTERFACE LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)

  # Not available for every processor.
  include(CheckCXXCompilerFlag)
  foreach(flag -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "takes${flag}" takes_flag)
    check_cxx_compiler_flag(${flag} ${takes_flag})
    if(${takes_flag})
      target_compile_options(vtmirror_flags INTERFACE ${flag})
    endif()
  endforeach()

  # The smallest program that shows every one of them; tests/package/hardening_test builds it.
  add_executable(hardening_probe EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/package/hardening_probe.cpp)
  target_link_libraries(hardening_probe PRIVATE vtmirror_flags)
endif()
